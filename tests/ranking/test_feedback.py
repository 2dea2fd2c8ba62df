"""How votes change the next query vector."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.arrays import Vector, Vectors, unit_rows
from secondhop.ranking.feedback import VoteVectors, refine_query
from secondhop.ranking.votes import VoteName

seeds = st.integers(0, 2**32 - 1)


def votes(**vectors: Vectors) -> VoteVectors:
    return cast(VoteVectors, vectors)


def rows(*vectors: Vector) -> Vectors:
    return np.stack(vectors)


def near_rows(seed: int, *, count: int) -> Vectors:
    """Unit vectors with positive cosines, like those of one person's texts."""
    rng = np.random.default_rng(seed)
    return unit_rows(rng.normal(size=(count, 3)) * 0.4 + 1.0)


@given(seeds)
def test_without_a_positive_vote_the_query_stays(seed: int) -> None:
    vectors = near_rows(seed, count=4)
    assert np.array_equal(refine_query(vectors[0], []), vectors[0])
    only_negative = [votes(cold=vectors[1:3], wrong=vectors[3:])]
    assert np.array_equal(refine_query(vectors[0], only_negative), vectors[0])


@given(seeds)
def test_warm_moves_less_than_hot(seed: int) -> None:
    query, liked = near_rows(seed, count=2)
    hot = refine_query(query, [votes(hot=rows(liked))])
    warm = refine_query(query, [votes(warm=rows(liked))])
    assert hot @ liked >= warm @ liked - 1e-6
    assert warm @ liked >= query @ liked - 1e-6
    assert warm @ query >= hot @ query - 1e-6


@given(seeds, st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_negative_votes_never_move_the_query_towards_them(
    seed: int, liked: int, disliked: int, wrong: bool
) -> None:
    vectors = near_rows(seed, count=1 + liked + disliked)
    query, hot, bad = vectors[0], vectors[1 : 1 + liked], vectors[1 + liked :]
    plain = refine_query(query, [votes(hot=hot)])
    negative = votes(hot=hot, wrong=bad) if wrong else votes(hot=hot, cold=bad)
    middle = bad.mean(axis=0)
    assert refine_query(query, [negative]) @ middle <= plain @ middle + 1e-6


@given(seeds, st.integers(1, 6))
def test_the_order_of_votes_does_not_matter_to_the_last_bit(seed: int, count: int) -> None:
    vectors = near_rows(seed, count=1 + 2 * count)
    query, hot, cold = vectors[0], vectors[1 : 1 + count], vectors[1 + count :]
    order = np.random.default_rng(seed).permutation(count)
    plain = refine_query(query, [votes(hot=hot, cold=cold)])
    turned = refine_query(query, [votes(hot=hot[order], cold=cold[order])])
    assert np.array_equal(plain, turned)


@given(seeds, st.integers(0, 3))
def test_the_refined_vector_is_finite_and_of_unit_length(seed: int, rounds: int) -> None:
    rng = np.random.default_rng(seed)
    history = [random_votes(rng) for _ in range(rounds)]
    query = unit_rows(rng.normal(size=3))
    refined = refine_query(query, history)
    assert refined.dtype == np.float32
    assert np.linalg.norm(refined) == pytest.approx(1.0, abs=1e-5)


def random_votes(rng: np.random.Generator) -> dict[VoteName, Vectors]:
    kinds: tuple[VoteName, ...] = ("hot", "warm", "cold", "wrong")
    return {kind: unit_rows(rng.normal(size=(int(rng.integers(0, 3)), 3))) for kind in kinds}
