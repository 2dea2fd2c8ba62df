"""Newer evidence above older: what counts as an update, and where its parts stand."""

from datetime import UTC, datetime

import pytest

from secondhop.errors import UsageError
from secondhop.evals.evidence_order import UpdateOrder
from secondhop.evals.evidence_set import EvidenceSet, ItemLine, QuestionLine, of_types

SAID = {
    "new": (20, "The deadline has moved to the ninth of May, says Ann."),
    "old": (3, "My deadline for the grant is the second of May."),
    "more": (20, "Yes, the ninth suits me and the printer as well."),
    "tea": (4, "We drank jasmine tea beside the frozen lake."),
}


def item(name: str) -> ItemLine:
    day, text = SAID[name]
    said_at = datetime(2026, 4, day, tzinfo=UTC)
    return ItemLine(id=name, entity="ann", session=f"s{day}", created_at=said_at, text=text)


def update(*groups: list[str], category: str = "knowledge_update") -> QuestionLine:
    return QuestionLine(
        id="q", entity="ann", question="When?", category=category, evidence=list(groups)
    )


ORDER = UpdateOrder(
    EvidenceSet(name="made", items=tuple(item(name) for name in SAID), questions=())
)


def newer_first(question: QuestionLine, *ranked: str, budget: int = 1_000) -> bool | None:
    passages = [f"Ann: {SAID[name][1]}" for name in ranked]
    return ORDER.newer_first(question, passages, budget=budget)


def test_something_said_later_must_stand_above_what_was_said_first() -> None:
    asked = update(["new"], ["old"], ["more"])

    assert newer_first(asked, "tea", "new", "old")
    assert newer_first(asked, "more", "old", "new")
    assert not newer_first(asked, "old", "new", "more")
    assert newer_first(asked, "new"), "the older one need not be there at all"
    assert newer_first(asked, "tea", "old") is False
    assert newer_first(asked, "tea") is False


def test_what_lies_beyond_the_budget_stands_below_everything() -> None:
    asked = update(["new"], ["old"])

    assert newer_first(asked, "tea", "old", "new", budget=27) is False
    assert newer_first(asked, "tea", "new", "old", budget=27) is True


def test_other_questions_and_single_evidence_are_no_updates() -> None:
    assert newer_first(update(["new"], ["old"], category="multi"), "new", "old") is None
    assert newer_first(update(["new", "old"]), "new", "old") is None


def test_questions_of_some_types_are_chosen_and_an_unknown_type_is_named() -> None:
    asked = [update(["new"]), update(["old"], category="multi")]

    assert of_types(asked, [], name="made") == asked
    assert of_types(asked, ["multi"], name="made") == asked[1:]
    with pytest.raises(UsageError, match="no question of type 'temporal'; its types are"):
        of_types(asked, ["temporal"], name="made")
