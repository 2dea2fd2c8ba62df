"""Turns Markdown headings into plain words, for lines that must not look like headings."""

import re

HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
"""A Markdown heading (CommonMark 0.31, 4.2). Group 1 is its text."""

FENCE = re.compile(r"^ {0,3}(?:```|~~~)")
"""The first or last line of a code block. A "#" inside the block is not a heading."""


def without_heading_signs(text: str) -> str:
    """Markdown whose headings are plain lines that end in a colon.

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
    """A heading as a label: with a colon, unless it is empty or ends in punctuation.

    >>> as_label("Trip to Norway"), as_label("Who comes?"), as_label("")
    ('Trip to Norway:', 'Who comes?', '')
    """
    return f"{heading}:" if heading and heading[-1].isalnum() else heading
