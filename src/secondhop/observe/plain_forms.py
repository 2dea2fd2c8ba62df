"""What one clause states, by all forms; its words of change, and of doubt. English."""

import re
from typing import Final

from secondhop.observe.plain_facts import FACTS
from secondhop.observe.plain_values import Stated
from secondhop.observe.preference_patterns import WISHES

LONGEST_CLAUSE = 400
"""Characters; nobody states a fact in so many."""

_LEAD: Final = re.compile(
    r"""^(?:(?:by\s+the\s+way|btw|just\s+so\s+you\s+know|fyi|for\s+your\s+information|actually
    |sorry|oh|ah|hi|hello|hey|well|ok|okay|also|and|but|so|then|no|yes|yep|anyway|in\s+fact
    |correction|i\s+mean|i\s+meant|oops|wait|thanks|thank\s+you|good\s+news|today|yesterday|since
    \s+then|last\s+\w+|for\s+the\s+record|as\s+you\s+know|to\s+be\s+clear|fun\s+fact|update)\b
    \s*[,:!–-]*\s*)+""",
    re.I | re.X,
)
_CHANGE: Final = re.compile(
    r"\b(?:now|moved|relocated|changed|switched|migrated|turned|started|joined|new|no\s+longer"
    r"|any\s?more|gone\s+(?:up|down)|went\s+(?:up|down)|rose|risen|dropped|increased|decreased"
    r"|postponed|rescheduled|instead|from\s+now\s+on|used\s+to)\b",
    re.I,
)
_CORRECTION: Final = re.compile(
    r"\b(?:actually|sorry|correction|I\s+meant?|oops|not\s+\S+\s+but|mistake|mistyped|typo|wrong"
    r"|to\s+be\s+precise)\b|,\s*not\b",
    re.I,
)
_UNSURE: Final = re.compile(
    r"\b(?:I\s+(?:think|guess|believe|suppose)|probably|possibly|not\s+sure|if\s+I\s+remember"
    r"|apparently|roughly|more\s+or\s+less|or\s+so|I['’]m\s+fairly\s+sure|as\s+far\s+as\s+I\s+know)\b",
    re.I,
)
_AFTERTHOUGHT: Final = re.compile(r",?\s+I\s+(?:think|guess|believe|suppose)$", re.I)
_HEDGE: Final = re.compile(
    r"^(?:(?:I\s+(?:think|guess|believe|suppose)|probably|possibly|apparently"
    r"|as\s+far\s+as\s+I\s+know|if\s+I\s+remember\s+(?:rightly|correctly|right))\s*,?\s*(?:that\s+)?)",
    re.I,
)


def what_is_stated(clause: str) -> list[Stated]:
    """Everything that one clause states; [] for a clause of no form."""
    if len(clause) > LONGEST_CLAUSE:
        return []
    bare = _AFTERTHOUGHT.sub("", _HEDGE.sub("", _LEAD.sub("", clause))).strip()
    for pattern, build in (*WISHES, *FACTS):
        found = pattern.fullmatch(bare)
        if found is not None and (stated := list(build(found, bare))):
            return stated
    return []


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
