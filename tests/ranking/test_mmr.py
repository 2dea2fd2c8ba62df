"""Maximal marginal relevance."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from secondhop.ranking.arrays import Vector, Vectors, unit_rows
from secondhop.ranking.mmr import mmr_select

seeds = st.integers(0, 2**32 - 1)
lambdas = st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0])


def random_rows(seed: int, *, rows: int, dim: int = 8) -> Vectors:
    return unit_rows(np.random.default_rng(seed).normal(size=(rows, dim)))


def select(query: Vector, vectors: Vectors, *, k: int, lambda_: float) -> list[int]:
    return mmr_select(vectors @ query, vectors @ vectors.T, k=k, lambda_=lambda_)


def test_the_second_pick_is_the_unlike_one() -> None:
    # relevance 0.9, 0.8, 0.7; candidates 0 and 1 say the same:
    # 1: 0.5·0.8 - 0.5·1.0 = -0.1    2: 0.5·0.7 - 0.5·0.2 = 0.25
    similarity = np.array([[1.0, 1.0, 0.2], [1.0, 1.0, 0.2], [0.2, 0.2, 1.0]])
    relevance = np.array([0.9, 0.8, 0.7])
    assert mmr_select(relevance, similarity, k=3, lambda_=0.5) == [0, 2, 1]


def test_a_directed_matrix_is_read_by_row() -> None:
    # pick 0 says all of 1 and nothing of 2; how much 1 says of 0 does not matter
    similarity = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert mmr_select(np.array([0.9, 0.5, 0.5]), similarity, k=2, lambda_=0.5) == [0, 2]


@given(seeds, st.integers(1, 40), st.integers(0, 12), lambdas)
def test_picks_are_langchains(seed: int, rows: int, k: int, lambda_: float) -> None:
    vectors = random_rows(seed, rows=rows + 1)
    query, candidates = vectors[0], vectors[1:]
    theirs = maximal_marginal_relevance(query, candidates.tolist(), lambda_mult=lambda_, k=k)
    assert select(query, candidates, k=k, lambda_=lambda_) == theirs


@given(seeds, st.integers(1, 30))
def test_lambda_one_is_the_order_of_relevance(seed: int, rows: int) -> None:
    vectors = random_rows(seed, rows=rows + 1)
    order = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")
    assert select(vectors[0], vectors[1:], k=rows, lambda_=1.0) == order.tolist()


@given(seeds, st.integers(1, 20), lambdas)
def test_the_order_of_candidates_does_not_matter(seed: int, rows: int, lambda_: float) -> None:
    vectors = random_rows(seed, rows=rows + 1)
    order = np.random.default_rng(seed).permutation(rows)
    plain = select(vectors[0], vectors[1:], k=5, lambda_=lambda_)
    shuffled = select(vectors[0], vectors[1:][order], k=5, lambda_=lambda_)
    assert [int(order[pick]) for pick in shuffled] == plain


@given(seeds, st.integers(0, 20), st.integers(0, 20), lambdas)
def test_a_longer_selection_begins_with_the_shorter(
    seed: int, rows: int, k: int, lambda_: float
) -> None:
    vectors = random_rows(seed, rows=rows + 1)
    longer = select(vectors[0], vectors[1:], k=k + 1, lambda_=lambda_)
    assert longer[:k] == select(vectors[0], vectors[1:], k=k, lambda_=lambda_)
    assert len(longer) == len(set(longer)) == min(k + 1, rows)


@given(seeds, st.integers(2, 12))
def test_of_equal_rows_the_first_is_picked_and_the_copy_comes_last(seed: int, rows: int) -> None:
    own = random_rows(seed, rows=rows, dim=64)
    query = unit_rows(own.sum(axis=0))
    twice = np.concatenate([own, own])
    picks = select(query, twice, k=rows, lambda_=0.3)
    assert sorted(pick % rows for pick in picks) == list(range(rows))
    assert picks == select(query, own, k=rows, lambda_=0.3)
