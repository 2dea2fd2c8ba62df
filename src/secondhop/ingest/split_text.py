"""Splits text into sentences or lines, or at spaces if these are too long."""

import re
from collections.abc import Iterator

from secondhop.models.tokens import TokenCounter

_SENTENCE_END = re.compile(
    r"""[.!?…]["'”’)\]]*\s+|[。！？]["'”’」』）]*\s*|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])"""
)
_CHARS_A_TOKEN = 8


def sentences(text: str, *, at_least: int = 0) -> Iterator[tuple[str, str]]:
    """(joiner to the previous sentence, sentence); a list item counts as a sentence.

    A sentence shorter than `at_least` characters is merged with the next one.
    """
    joiner, start = "", 0
    for match in _SENTENCE_END.finditer(text):
        ending = match[0].rstrip()
        cut = match.start() + len(ending)
        if cut - start < at_least:
            continue
        if text[start:cut].strip():
            yield joiner, text[start:cut]
        joiner, start = _joiner(match[0][len(ending) :]), match.end()
    if text[start:].strip():
        yield joiner, text[start:]


def lines(text: str) -> Iterator[tuple[str, str]]:
    """(joiner, line) for each line that is not blank, with its indentation."""
    joiner = "\n"
    for line in text.split("\n"):
        if line.strip():
            yield joiner, line.rstrip()
            joiner = "\n"
        else:
            joiner = "\n\n"


def grains(text: str, *, tokens: int, count_tokens: TokenCounter) -> Iterator[tuple[str, str]]:
    """(joiner, piece) of at most `tokens` tokens each, cut at spaces if there are any.

    At most eight characters a token are counted at a time, because tokenisers are slow on long
    runs without spaces. A single character is never cut, even if it takes more tokens.
    """
    widest = width = tokens * _CHARS_A_TOKEN
    joiner, start = "", 0
    while start < len(text):
        piece = text[start : start + width]
        whole = start + len(piece) == len(text)
        while (counted := count_tokens(piece)) > tokens and len(piece) > 1:
            piece = piece[: min(len(piece) - 1, max(1, len(piece) * tokens // counted))]
            whole = False
        if not whole and not text[start + len(piece)].isspace():
            piece = _up_to_last_space(piece)
        width = min(widest, len(piece) * 5 // 4 + 8)  # the next piece is probably similar
        start += len(piece)
        if piece.strip():
            yield joiner, piece.strip()
            joiner = ""
        if piece[-1:].isspace() or text[start : start + 1].isspace():
            joiner = " "


def _up_to_last_space(piece: str) -> str:
    if piece[-1:].isspace():
        return piece
    cut = max(piece.rfind(" "), piece.rfind("\t"), piece.rfind("\n"))
    return piece[: cut + 1] if cut > 0 else piece


def _joiner(spaces: str) -> str:
    if "\n" in spaces:
        return "\n\n" if spaces.count("\n") > 1 else "\n"
    return " " if spaces else ""
