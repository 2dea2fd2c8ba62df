"""Token budgets: every memory its best passage first, and never a token too many."""

from hypothesis import given
from hypothesis import strategies as st

from secondhop.nodes.evidence_budget import within_budget
from secondhop.stores.records import Passage

SIZES = {"a1": 10, "a2": 10, "b1": 30, "b2": 5, "c1": 20}
EVIDENCE = {"a": ["a1", "a2"], "b": ["b1", "b2"], "c": ["c1"]}


def passages(sizes: dict[str, int]) -> dict[str, Passage]:
    return {
        passage_id: Passage(
            passage_id=passage_id, memory_id=passage_id[0], ordinal=0, text="", tokens=tokens
        )
        for passage_id, tokens in sizes.items()
    }


def test_without_a_budget_everything_fits() -> None:
    assert within_budget(EVIDENCE, passages(SIZES), tokens=None) == EVIDENCE


def test_every_memory_gets_its_best_before_any_gets_a_second() -> None:
    kept = within_budget(EVIDENCE, passages(SIZES), tokens=65)

    assert kept == {"a": ["a1"], "b": ["b1", "b2"], "c": ["c1"]}


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    assert within_budget(EVIDENCE, passages(SIZES), tokens=35) == {
        "a": ["a1"],
        "b": ["b2"],
        "c": ["c1"],
    }


def test_nothing_fits_into_almost_nothing() -> None:
    assert within_budget(EVIDENCE, passages(SIZES), tokens=4) == {}


def test_passages_that_are_gone_are_left_out() -> None:
    assert within_budget({"a": ["gone"], "c": ["c1"]}, passages(SIZES), tokens=None) == {
        "c": ["c1"]
    }


@given(
    sizes=st.fixed_dictionaries({name: st.integers(1, 50) for name in SIZES}),
    tokens=st.integers(1, 150),
)
def test_no_budget_is_exceeded(sizes: dict[str, int], tokens: int) -> None:
    kept = within_budget(EVIDENCE, passages(sizes), tokens=tokens)

    assert sum(sizes[passage_id] for ids in kept.values() for passage_id in ids) <= tokens
