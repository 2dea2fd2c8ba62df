"""Our selection over facets."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_select import FacetPick, facet_select

Pool: TypeAlias = tuple[Floats, Floats]
"""(relevance of each candidate to each facet, weights of the facets)."""

seeds = st.integers(0, 2**32 - 1)


def select(pool: Pool, k: int, redundancy: Floats) -> list[FacetPick]:
    """Row i, column j of the redundancy is how much of i is said by j."""
    coverage = Coverage(redundancy, np.arange(len(redundancy)))
    return facet_select(*pool, k=k, coverage=coverage, duplicate_at=0.9)


def pool_of(rows: Sequence[Sequence[float]], *weights: float) -> Pool:
    return np.array(rows, dtype=np.float64), np.array(weights, dtype=np.float64)


def random_pool(seed: int, *, size: int, facets: int = 3) -> Pool:
    rng = np.random.default_rng(seed)
    relevance = np.where(rng.random((size, facets)) < 0.6, rng.random((size, facets)), 0.0)
    relevance[:, 0] = rng.random(size)  # so that no two are equal
    return relevance, rng.random(facets) + 0.1


def random_redundancy(seed: int, *, size: int) -> Floats:
    redundancy = np.random.default_rng(seed).random((size, size)) ** 3
    np.fill_diagonal(redundancy, 1.0)
    return redundancy


def indices(picks: Sequence[FacetPick]) -> list[int]:
    return [pick.index for pick in picks]


def test_a_facet_of_which_all_is_picked_does_not_block_the_rest() -> None:
    pool = pool_of([[0.9, 0], [0, 0.5], [0, 0.4], [0, 0.3]], 9, 1)
    assert sorted(indices(select(pool, 4, np.eye(4)))) == [0, 1, 2, 3]


@given(seed=seeds, size=st.integers(1, 15))
def test_the_order_of_candidates_does_not_matter(seed: int, size: int) -> None:
    relevance, weights = random_pool(seed, size=size)
    redundancy = random_redundancy(seed, size=size)
    order = np.random.default_rng(seed).permutation(size)
    plain = select((relevance, weights), 6, redundancy)
    again = select((relevance[order], weights), 6, redundancy[np.ix_(order, order)])
    assert [int(order[pick.index]) for pick in again] == indices(plain)


@given(seed=seeds, size=st.integers(2, 12))
def test_identical_candidates_are_never_both_picked_while_another_is_left(
    seed: int, size: int
) -> None:
    relevance, weights = random_pool(seed, size=size)
    picks = select((np.concatenate([relevance] * 2), weights), size, np.tile(np.eye(size), (2, 2)))
    assert sorted(pick.index % size for pick in picks) == list(range(size))


def test_four_copies_of_the_research_take_one_slot() -> None:
    # the reference's case: four near-identical hits at 0.754, the plan for the role at 0.601
    pool = pool_of([[0.754, 0], [0.754, 0], [0.754, 0], [0.754, 0], [0.601, 0], [0, 0.643]], 2, 1)
    redundancy = np.eye(6)
    redundancy[:4, :4] = 0.95
    picks = select(pool, 3, redundancy)
    assert sorted(indices(picks)) == [0, 4, 5]


def test_two_picks_that_each_say_half_say_it_all_together() -> None:
    # candidate 2 has two passages; 0 says the first, 1 the second
    units = np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]])
    coverage = Coverage(units, np.array([0, 1, 2, 2]))
    assert coverage.matrix()[2].tolist() == [0.5, 0.5, 1.0]
    pool = pool_of([[0.9], [0.8], [0.7], [0.1]], 1)
    wider = Coverage(
        np.hstack([np.vstack([units, np.zeros((1, 3))]), np.zeros((5, 1))]),
        np.array([0, 1, 2, 2, 3]),
    )
    assert indices(facet_select(*pool, k=3, coverage=wider, duplicate_at=0.9)) == [0, 1, 3]
