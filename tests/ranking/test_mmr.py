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
