"""Whether the newer evidence stands above the older, for questions about what has changed."""

from collections.abc import Sequence
from typing import Final

from secondhop.evals.evidence_score import shingles, within
from secondhop.evals.evidence_set import EvidenceSet, ItemLine, QuestionLine

UPDATES: Final = frozenset({"knowledge_update", "knowledge-update"})
"""Types of questions whose evidence is a statement and what later changed it."""

OF_THE_ITEM: Final = 0.8
"""Share of a passage's shingles that an item has, from which on it is the item or a part of it."""


class UpdateOrder:
    """Compares where evidence stands with when it was said, over one set."""

    def __init__(self, evidence_set: EvidenceSet) -> None:
        self._items = evidence_set.by_id()
        self._order = {item.id: place for place, item in enumerate(evidence_set.items)}

    def newer_first(
        self, question: QuestionLine, passages: Sequence[str], *, budget: int
    ) -> bool | None:
        """Whether something said later stands above what was said first.

        What lies beyond the budget stands below everything; None: it is no question about an
        update, or one with a single piece of evidence.
        """
        if question.category not in UPDATES or len(question.evidence) < 2:
            return None
        told = sorted((self._items[group[0]] for group in question.evidence), key=self._said)
        places = [place_of(item, within(passages, budget=budget)) for item in told]
        first, *later = places
        newer = min((place for place in later if place is not None), default=None)
        return newer is not None and (first is None or newer < first)

    def _said(self, item: ItemLine) -> tuple[str, int]:
        """By date; of one date, in the order of the file."""
        return item.created_at.isoformat() if item.created_at else "", self._order[item.id]


def place_of(item: ItemLine, passages: Sequence[str]) -> int | None:
    """Where the first passage stands that is the item, or a part of it; from 0."""
    wanted = shingles(item.text)
    for place, text in enumerate(passages):
        own = shingles(text.partition(": ")[2] or text)  # without the speaker's name
        if len(own & wanted) >= OF_THE_ITEM * len(own):
            return place
    return None
