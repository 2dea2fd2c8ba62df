"""Filling tokens: the best passages first, repetitions last, and never a token too many."""

from hypothesis import given
from hypothesis import strategies as st

from secondhop.nodes.evidence.fill import by_memory, fill
from secondhop.stores.records import Passage


def passage(name: str, *, text: str = "", tokens: int = 10, ordinal: int = 0) -> Passage:
    return Passage(
        passage_id=name,
        memory_id=name[0],
        ordinal=ordinal,
        text=text or f"{name} {name}x {name}y {name}z",
        tokens=tokens,
    )


def names(passages: list[Passage]) -> list[str]:
    return [one.passage_id for one in passages]


def test_passages_come_in_their_order_whatever_their_memories() -> None:
    ranked = [passage("a1"), passage("a2"), passage("a3"), passage("b1")]

    assert names(fill(ranked, tokens=30)) == ["a1", "a2", "a3"]


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    ranked = [passage("a1"), passage("b1", tokens=50), passage("c1", tokens=5)]

    assert names(fill(ranked, tokens=20)) == ["a1", "c1"]


def test_what_repeats_an_earlier_passage_comes_last() -> None:
    said = "the boiler was repaired by Hobbs on Tuesday"
    ranked = [passage("a1", text=said), passage("b1", text=said), passage("c1")]

    assert names(fill(ranked, tokens=20)) == ["a1", "c1"]
    assert names(fill(ranked, tokens=30)) == ["a1", "c1", "b1"]


def test_nothing_fits_into_almost_nothing() -> None:
    assert fill([passage("a1")], tokens=9) == []
    assert fill([], tokens=9) == []


def test_memories_stand_where_their_first_passage_stands() -> None:
    assert by_memory([passage("b1"), passage("a1"), passage("b2")]) == {
        "b": ["b1", "b2"],
        "a": ["a1"],
    }


@given(sizes=st.lists(st.integers(1, 50), max_size=8), tokens=st.integers(1, 150))
def test_no_budget_is_exceeded(sizes: list[int], tokens: int) -> None:
    ranked = [passage(f"a{n}", tokens=size) for n, size in enumerate(sizes)]

    assert sum(one.tokens for one in fill(ranked, tokens=tokens)) <= tokens
