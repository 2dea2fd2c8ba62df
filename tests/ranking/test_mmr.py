"""Maximal marginal relevance."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from secondhop.ranking.arrays import Vectors, unit_rows
from secondhop.ranking.mmr import mmr_select

seeds = st.integers(0, 2**32 - 1)
lambdas = st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0])


def random_rows(seed: int, *, rows: int, dim: int = 8) -> Vectors:
    return unit_rows(np.random.default_rng(seed).normal(size=(rows, dim)))


@given(seeds, st.integers(1, 40), st.integers(0, 12), lambdas)
def test_picks_are_langchains(seed: int, rows: int, k: int, lambda_: float) -> None:
    vectors = random_rows(seed, rows=rows + 1)
    query, candidates = vectors[0], vectors[1:]
    theirs = maximal_marginal_relevance(query, candidates.tolist(), lambda_mult=lambda_, k=k)
    assert mmr_select(query, candidates, k=k, lambda_=lambda_) == theirs


@given(seeds, st.integers(1, 20), lambdas)
def test_the_order_of_candidates_does_not_matter(seed: int, rows: int, lambda_: float) -> None:
    vectors = random_rows(seed, rows=rows + 1)
    order = np.random.default_rng(seed).permutation(rows)
    plain = mmr_select(vectors[0], vectors[1:], k=5, lambda_=lambda_)
    shuffled = mmr_select(vectors[0], vectors[1:][order], k=5, lambda_=lambda_)
    assert [int(order[pick]) for pick in shuffled] == plain


@given(seeds, st.integers(2, 12))
def test_of_equal_rows_the_first_is_picked_and_the_copy_comes_last(seed: int, rows: int) -> None:
    own = random_rows(seed, rows=rows, dim=64)
    query = unit_rows(own.sum(axis=0))
    twice = np.concatenate([own, own])
    picks = mmr_select(query, twice, k=rows, lambda_=0.3)
    assert sorted(pick % rows for pick in picks) == list(range(rows))
    assert picks == mmr_select(query, own, k=rows, lambda_=0.3)
