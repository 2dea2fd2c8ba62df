"""Turns Markdown headings into plain words, for lines that must not look like headings."""

import re

HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
"""A Markdown heading (CommonMark 0.31, 4.2): its text is group 1."""

FENCE = re.compile(r"^ {0,3}(?:```|~~~)")
"""Where a block of code begins or ends; a "#" in it is no heading."""


def without_heading_signs(text: str) -> str:
    """Markdown with its headings as plain words: a colon before what they stand above.

    >>> without_heading_signs("# Trip to Norway\\nWe fly in June.")
    'Trip to Norway:\\nWe fly in June.'
    """
    lines: list[str] = []
    in_code = False
    for line in text.splitlines():
        in_code ^= bool(FENCE.match(line))
        heading = None if in_code else HEADING.match(line)
        lines.append(line if heading is None else as_label(heading.group(1)))
    return "\n".join(lines)


def as_label(heading: str) -> str:
    """A heading as the beginning of a sentence.

    >>> as_label("Trip to Norway"), as_label("Who comes?"), as_label("")
    ('Trip to Norway:', 'Who comes?', '')
    """
    return f"{heading}:" if heading and heading[-1].isalnum() else heading
