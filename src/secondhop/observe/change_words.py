"""English words that say that something changed, was wrong before, or is not certain."""

import re
from typing import Final

_CHANGE: Final = re.compile(
    r"\b(?:now|moved|relocated|changed|switched|turned|started|joined|new|no\s+longer|any\s?more"
    r"|gone\s+(?:up|down)|went\s+(?:up|down)|rose|risen|dropped|increased|decreased|postponed"
    r"|rescheduled|instead|from\s+now\s+on)\b",
    re.I,
)
_CORRECTION: Final = re.compile(
    r"\b(?:actually|sorry|correction|I\s+meant?|oops|mistake|mistyped|typo|wrong)\b|,\s*not\b",
    re.I,
)
_UNSURE: Final = re.compile(
    r"\b(?:I\s+(?:think|guess|believe|suppose)|probably|possibly|not\s+sure|apparently|roughly"
    r"|if\s+I\s+remember|or\s+so|as\s+far\s+as\s+I\s+know)\b",
    re.I,
)


def says_change(sentence: str, clause: str) -> str:
    """The words that say it is new, or a correction; "" for none."""
    found = _CHANGE.search(clause) or _CORRECTION.search(sentence)
    return found[0].strip(" ,") if found else ""


def corrects(words: str) -> bool:
    """Whether words of change are words of a correction."""
    return bool(_CORRECTION.search(words))


def is_sure(sentence: str) -> bool:
    """Whether the person is sure of it."""
    return not _UNSURE.search(sentence)
