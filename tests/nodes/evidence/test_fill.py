"""Filling a token budget: best passages first, repetitions last, never a token too many."""

from hypothesis import given
from hypothesis import strategies as st

from secondhop.nodes.evidence.fill import budgets_for, fill
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


def test_what_repeats_an_earlier_passage_comes_last() -> None:
    said = "the boiler was repaired by Hobbs on Tuesday"
    ranked = [passage("a1", text=said), passage("b1", text=said), passage("c1")]

    assert names(fill(ranked, tokens=20)) == ["a1", "c1"]
    assert names(fill(ranked, tokens=30)) == ["a1", "c1", "b1"]


def test_the_budget_told_holds_the_memory_but_a_smaller_one_may() -> None:
    ranked = [passage("a1"), passage("b1", tokens=500), passage("c1", tokens=20)]

    told = budgets_for(ranked)["c"]

    assert names(fill(ranked, tokens=told)) == ["a1", "b1", "c1"]
    assert names(fill(ranked, tokens=told - 1)) == ["a1", "b1"]
    assert names(fill(ranked, tokens=30)) == ["a1", "c1"]


@given(sizes=st.lists(st.integers(1, 50), max_size=8), tokens=st.integers(1, 150))
def test_no_budget_is_exceeded(sizes: list[int], tokens: int) -> None:
    ranked = [passage(f"a{n}", tokens=size) for n, size in enumerate(sizes)]

    assert sum(one.tokens for one in fill(ranked, tokens=tokens)) <= tokens
