"""When a recall stands still."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.convergence import is_stable, jaccard

sets = st.frozensets(st.sampled_from("abcdef"))


def test_jaccard_by_hand() -> None:
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset(), frozenset("a")) == 0.0


def test_two_empty_sets_are_the_same_set() -> None:
    assert jaccard(frozenset(), frozenset()) == 1.0


@given(sets, sets)
def test_jaccard_is_symmetric_and_1_for_equal_sets_only(
    one: frozenset[str], other: frozenset[str]
) -> None:
    assert 0 <= jaccard(one, other) == jaccard(other, one) <= 1
    assert (jaccard(one, other) == 1) == (one == other)


def test_four_of_five_is_just_stable() -> None:
    assert is_stable([frozenset("abcd"), frozenset("abcde")])
    assert not is_stable([frozenset("abc"), frozenset("abcde")])


def test_only_the_last_rounds_count() -> None:
    history = [frozenset("x"), frozenset("ab"), frozenset("ab")]
    assert is_stable(history)
    assert not is_stable(history, rounds=3)
    assert not is_stable(history[:1])


@pytest.mark.parametrize(("threshold", "rounds"), [(1.5, 2), (0.8, 1)])
def test_input_that_cannot_be_is_refused(threshold: float, rounds: int) -> None:
    with pytest.raises(ValueError, match="must"):
        is_stable([], threshold=threshold, rounds=rounds)
