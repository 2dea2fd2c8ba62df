"""Expansion terms from good passages."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.prf import expansion_terms, interpolate

passages = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=4)


def test_weights_by_hand() -> None:
    # a: 1.0·1/2 · ln(11/2) ; b: (1.0·1/2 + 0.5·1) · ln(11/6)
    terms = expansion_terms(
        [["a", "b"], ["b"]],
        weights=[1.0, 0.5],
        document_frequency={"a": 1, "b": 5},
        documents=10,
    )
    a, b = 0.5 * log(11 / 2), 1.0 * log(11 / 6)
    assert [term for term, _ in terms] == ["a", "b"]
    assert [value for _, value in terms] == pytest.approx([a / (a + b), b / (a + b)])


def test_words_of_every_document_fall_out() -> None:
    terms = expansion_terms(
        [["the", "plan"]],
        weights=[1],
        document_frequency=lambda term: 8 if term == "the" else 0,
        documents=8,
    )
    assert terms == [("plan", 1.0)]


def test_a_long_passage_does_not_win_by_length() -> None:
    terms = dict(
        expansion_terms([["a"] * 50, ["b"]], weights=[1, 1], document_frequency={}, documents=9)
    )
    assert terms["a"] == terms["b"]


@given(passages, st.integers(0, 5))
def test_terms_are_distinct_sorted_and_their_weights_sum_to_one(
    tokens: list[list[str]], n: int
) -> None:
    weights = [1.0] * len(tokens)
    terms = expansion_terms(tokens, weights=weights, document_frequency={"a": 3}, documents=9, n=n)
    assert len({term for term, _ in terms}) == len(terms) <= n
    values = [value for _, value in terms]
    assert values == sorted(values, reverse=True)
    assert sum(values) == pytest.approx(1.0 if terms else 0.0)
    turned = expansion_terms(
        tokens[::-1], weights=weights, document_frequency={"a": 3}, documents=9, n=n
    )
    assert turned == terms


def test_interpolation_by_hand() -> None:
    mixed = interpolate(["a", "b"], [("b", 0.6), ("c", 0.4)], query_share=0.5)
    assert [term for term, _ in mixed] == ["b", "a", "c"]
    assert [value for _, value in mixed] == pytest.approx([0.55, 0.25, 0.2])


def test_an_empty_side_leaves_its_share_to_the_other() -> None:
    assert interpolate(["a"], []) == [("a", 1.0)]
    assert interpolate([], [("b", 2.0)]) == [("b", 1.0)]
    assert interpolate([], []) == []


def test_input_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="weights"):
        expansion_terms([["a"]], weights=[], document_frequency={}, documents=1)
    with pytest.raises(ValueError, match="documents"):
        expansion_terms([], weights=[], document_frequency={}, documents=-1)
    with pytest.raises(ValueError, match="query_share"):
        interpolate([], [], query_share=2)
