"""Filling a token budget: best passages first, repetitions last, never a token too many."""

from hypothesis import given
from hypothesis import strategies as st

from secondhop.nodes.evidence.fill import budgets_for, by_memory, fill, left_out
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


def test_what_is_left_out_says_the_budget_that_holds_it_or_that_none_does() -> None:
    ranked = [passage("a1"), passage("b1", tokens=50), passage("c1"), passage("d1")]
    scores = {"a1": 1.0, "b1": 0.5, "c1": 0.4, "d1": 0.05}

    left = left_out(ranked, scores, relevant=ranked[:3], filled=fill(ranked[:3], tokens=20))

    assert {name: (one.tokens, one.budget) for name, one in left.items()} == {
        "b": (50, 60),
        "d": (10, None),
    }


@given(sizes=st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_the_budget_that_is_named_holds_it(
    sizes: list[int],
) -> None:
    ranked = [passage(chr(97 + n), tokens=size) for n, size in enumerate(sizes)]

    for memory_id, budget in budgets_for(ranked).items():
        assert memory_id in by_memory(fill(ranked, tokens=budget))


@given(sizes=st.lists(st.integers(1, 50), max_size=8), tokens=st.integers(1, 150))
def test_no_budget_is_exceeded(sizes: list[int], tokens: int) -> None:
    ranked = [passage(f"a{n}", tokens=size) for n, size in enumerate(sizes)]

    assert sum(one.tokens for one in fill(ranked, tokens=tokens)) <= tokens
