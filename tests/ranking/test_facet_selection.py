"""Our selection over facets."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_pool import FacetPick, FacetPool
from secondhop.ranking.facet_select import facet_select

seeds = st.integers(0, 2**32 - 1)


def select(pool: FacetPool, k: int, coverage: Coverage | None) -> list[FacetPick]:
    return facet_select(pool, k=k, coverage=coverage, lambda_=0.5, closing=1.0, duplicate_at=0.9)


def pool_of(rows: Sequence[Sequence[float]], *weights: float) -> FacetPool:
    return FacetPool(facet_relevance=np.array(rows, dtype=np.float64), weights=np.array(weights))


def random_pool(seed: int, *, size: int, facets: int = 3) -> FacetPool:
    rng = np.random.default_rng(seed)
    relevance = np.where(rng.random((size, facets)) < 0.6, rng.random((size, facets)), 0.0)
    return FacetPool(
        facet_relevance=relevance, weights=rng.random(facets) + 0.1, relevance=rng.random(size)
    )


def random_redundancy(seed: int, *, size: int) -> Floats:
    redundancy = np.random.default_rng(seed).random((size, size)) ** 3
    np.fill_diagonal(redundancy, 1.0)
    return redundancy


def indices(picks: Sequence[FacetPick]) -> list[int]:
    return [pick.index for pick in picks]


def test_gains_by_hand() -> None:
    # shares 0.6, 0.4; λ = 1: gains 0.6·0.9 = 0.54, 0.6·0.8 = 0.48, 0.4·0.7 = 0.28.
    # 0 leaves 0.1 of facet 0: 0.6·0.8·0.1 = 0.048 < 0.28.
    pool = pool_of([[0.9, 0], [0.8, 0], [0, 0.7]], 3, 2)
    picks = facet_select(pool, k=3, lambda_=1.0, closing=1.0)
    assert [(pick.index, pick.facet) for pick in picks] == [(0, 0), (2, 1), (1, 0)]
    assert [pick.gain for pick in picks] == pytest.approx([0.54, 0.28, 0.048])


def test_lambda_zero_is_the_order_of_relevance() -> None:
    pool = random_pool(5, size=20)
    assert pool.relevance is not None
    order = np.argsort(-pool.relevance, kind="stable").tolist()
    assert indices(facet_select(pool, k=20, lambda_=0.0)) == order


def test_a_facet_that_nobody_serves_loses_its_share() -> None:
    rows = [[0.9, 0.0], [0.8, 0.0], [0.0, 0.7], [0.0, 0.6]]
    without = select(pool_of(rows, 1, 1), 4, None)
    empty = np.zeros((4, 1))
    pool = FacetPool(facet_relevance=np.hstack([rows, empty]), weights=np.array([1.0, 1.0, 50.0]))
    assert select(pool, 4, None) == without


def test_a_facet_of_which_all_is_picked_does_not_block_the_rest() -> None:
    pool = pool_of([[0.9, 0], [0, 0.5], [0, 0.4], [0, 0.3]], 9, 1)
    assert sorted(indices(select(pool, 4, None))) == [0, 1, 2, 3]


def test_candidates_that_serve_no_facet_come_last_by_relevance() -> None:
    pool = FacetPool(
        facet_relevance=np.array([[0.0], [0.0], [0.5]]),
        weights=np.array([1.0]),
        relevance=np.array([0.1, 0.2, 0.3]),
    )
    picks = select(pool, 3, None)
    assert [(pick.index, pick.facet) for pick in picks] == [(2, 0), (1, None), (0, None)]


@given(seed=seeds, size=st.integers(0, 15), k=st.integers(0, 16))
def test_a_longer_selection_begins_with_the_shorter(seed: int, size: int, k: int) -> None:
    pool = random_pool(seed, size=size)
    coverage = Coverage.from_matrix(random_redundancy(seed, size=size))
    longer = select(pool, k + 1, coverage)
    assert longer[:k] == select(pool, k, coverage)
    assert len(set(indices(longer))) == len(longer) == min(k + 1, size)


@given(seed=seeds, size=st.integers(1, 15))
def test_the_order_of_candidates_does_not_matter(seed: int, size: int) -> None:
    pool = random_pool(seed, size=size)
    redundancy = random_redundancy(seed, size=size)
    order = np.random.default_rng(seed).permutation(size)
    assert pool.relevance is not None
    shuffled = FacetPool(
        facet_relevance=pool.facet_relevance[order],
        weights=pool.weights,
        relevance=pool.relevance[order],
    )
    plain = select(pool, 6, Coverage.from_matrix(redundancy))
    again = select(shuffled, 6, Coverage.from_matrix(redundancy[np.ix_(order, order)]))
    assert [int(order[pick.index]) for pick in again] == indices(plain)


@given(seed=seeds, size=st.integers(1, 12))
def test_the_order_of_facets_does_not_matter(seed: int, size: int) -> None:
    pool = random_pool(seed, size=size, facets=4)
    order = np.random.default_rng(seed).permutation(4)
    turned = FacetPool(
        facet_relevance=pool.facet_relevance[:, order],
        weights=pool.weights[order],
        relevance=pool.relevance,
    )
    assert indices(select(turned, 6, None)) == indices(select(pool, 6, None))


@given(seed=seeds, size=st.integers(2, 12))
def test_identical_candidates_are_never_both_picked_while_another_is_left(
    seed: int, size: int
) -> None:
    once = random_pool(seed, size=size)
    assert once.relevance is not None
    pool = FacetPool(
        facet_relevance=np.concatenate([once.facet_relevance] * 2),
        weights=once.weights,
        relevance=np.concatenate([once.relevance] * 2),
    )
    redundancy = np.tile(np.eye(size), (2, 2))
    picks = facet_select(pool, k=size, coverage=Coverage.from_matrix(redundancy))
    assert sorted(pick.index % size for pick in picks) == list(range(size))


def test_four_copies_of_the_research_take_one_slot() -> None:
    # the reference's case: four near-identical hits at 0.754, the plan for the role at 0.601
    pool = pool_of([[0.754, 0], [0.754, 0], [0.754, 0], [0.754, 0], [0.601, 0], [0, 0.643]], 2, 1)
    redundancy = np.eye(6)
    redundancy[:4, :4] = 0.95
    picks = facet_select(pool, k=3, coverage=Coverage.from_matrix(redundancy))
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
    assert indices(facet_select(pool, k=3, coverage=wider)) == [0, 1, 3]


def test_a_pool_without_facets_is_picked_by_relevance() -> None:
    pool = FacetPool(
        facet_relevance=np.zeros((3, 0)),
        weights=np.zeros(0),
        relevance=np.array([0.1, 0.9, 0.5]),
    )
    assert indices(select(pool, 2, None)) == [1, 2]


def test_input_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        pool_of([[1.5]], 1)
    with pytest.raises(ValueError, match="weights"):
        pool_of([[0.5]], 1, 1)
    with pytest.raises(ValueError, match="weights"):
        pool_of([[0.5]], -1)
    with pytest.raises(ValueError, match="facet_relevance"):
        FacetPool(facet_relevance=np.zeros(3), weights=np.zeros(1))
    for relevance in (np.zeros(2), np.array([np.nan])):
        with pytest.raises(ValueError, match="relevance"):
            FacetPool(facet_relevance=np.zeros((1, 1)), weights=np.ones(1), relevance=relevance)
    pool = pool_of([[0.5]], 1)
    with pytest.raises(ValueError, match="coverage knows"):
        facet_select(pool, k=1, coverage=Coverage.from_matrix(np.eye(2)))
    for matrix in (np.zeros((1, 2)), np.full((1, 1), 2.0)):
        with pytest.raises(ValueError, match="redundancy"):
            Coverage.from_matrix(matrix)
