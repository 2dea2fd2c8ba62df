"""xQuAD, PM-2 and our selection over facets."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_pool import FacetPick, FacetPool
from secondhop.ranking.facet_select import FacetSelectSettings, facet_select
from secondhop.ranking.greedy import Repetition
from secondhop.ranking.in_turn import in_turn_select
from secondhop.ranking.pm2 import pm2_select
from secondhop.ranking.xquad import xquad_select

Select = Callable[[FacetPool, int, Coverage | None], list[FacetPick]]

seeds = st.integers(0, 2**32 - 1)


def xquad(pool: FacetPool, k: int, coverage: Coverage | None) -> list[FacetPick]:
    return xquad_select(pool, k=k, repetition=Repetition(coverage=coverage))


def pm2(pool: FacetPool, k: int, coverage: Coverage | None) -> list[FacetPick]:
    return pm2_select(pool, k=k, repetition=Repetition(coverage=coverage))


def ours(pool: FacetPool, k: int, coverage: Coverage | None) -> list[FacetPick]:
    return list(facet_select(pool, k=max(k, 1), coverage=coverage).picks[:k])


def ours_over_xquad(pool: FacetPool, k: int, coverage: Coverage | None) -> list[FacetPick]:
    settings = FacetSelectSettings(scheme="xquad")
    return list(facet_select(pool, k=max(k, 1), coverage=coverage, settings=settings).picks[:k])


def in_turn(pool: FacetPool, k: int, coverage: Coverage | None) -> list[FacetPick]:
    return in_turn_select(pool, k=k, repetition=Repetition(coverage=coverage))


every_method = pytest.mark.parametrize("select", [xquad, pm2, in_turn, ours, ours_over_xquad])


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


def test_xquad_gains_by_hand() -> None:
    # shares 0.6, 0.4; λ = 1: gains 0.6·0.9 = 0.54, 0.6·0.8 = 0.48, 0.4·0.7 = 0.28.
    # 0 leaves 0.1 of facet 0: 0.6·0.8·0.1 = 0.048 < 0.28.
    pool = pool_of([[0.9, 0], [0.8, 0], [0, 0.7]], 3, 2)
    picks = xquad_select(pool, k=3, lambda_=1.0)
    assert [(pick.index, pick.facet) for pick in picks] == [(0, 0), (2, 1), (1, 0)]
    assert [pick.gain for pick in picks] == pytest.approx([0.54, 0.28, 0.048])


def test_xquad_with_lambda_zero_is_the_order_of_relevance() -> None:
    pool = random_pool(5, size=20)
    assert pool.relevance is not None
    order = np.argsort(-pool.relevance, kind="stable").tolist()
    assert indices(xquad_select(pool, k=20, lambda_=0.0)) == order


def test_pm2_gains_and_seats_by_hand() -> None:
    # shares 0.75, 0.25. Seat 1: facet 0: λ·0.75·0.8 = 0.3 beats 0.5·(0.75·0.4 + 0.25·0.4) = 0.2.
    # Facet 0 then has 1 seat: quotients 0.75/3 and 0.25 tie: the lower facet, candidate 1:
    # 0.5·(0.25·0.4 + 0.25·0.4) = 0.1; candidate 2 would bring 0.5·0.25·0.6 = 0.075.
    pool = pool_of([[0.8, 0], [0.4, 0.4], [0, 0.6]], 3, 1)
    picks = pm2_select(pool, k=2)
    assert [(pick.index, pick.facet) for pick in picks] == [(0, 0), (1, 0)]
    assert [pick.gain for pick in picks] == pytest.approx([0.3, 0.1])


def test_pm2_seats_are_proportional() -> None:
    facets = np.repeat(np.arange(3), 20)
    relevance = np.zeros((60, 3))
    relevance[np.arange(60), facets] = 0.9
    pool = FacetPool(facet_relevance=relevance, weights=np.array([3.0, 2.0, 1.0]))
    served = [pick.facet for pick in pm2_select(pool, k=12)]
    assert [served.count(facet) for facet in range(3)] == [6, 4, 2]


def test_facets_take_turns_the_heaviest_first() -> None:
    # facet 1 begins (weight 3) and takes candidate 2; facet 0 takes 0; facet 1 again takes 1
    pool = pool_of([[0.9, 0.2], [0.8, 0.7], [0, 0.9]], 1, 3)
    picks = in_turn_select(pool, k=3)
    assert [(pick.index, pick.facet) for pick in picks] == [(2, 1), (0, 0), (1, 1)]
    assert [pick.gain for pick in picks] == [0.9, 0.9, 0.7]


def test_in_turn_every_facet_with_an_own_candidate_is_served_before_one_is_served_twice() -> None:
    relevance = np.zeros((20, 4))
    relevance[np.arange(20), np.arange(20) // 5] = 0.8
    pool = FacetPool(facet_relevance=relevance, weights=np.array([9.0, 1.0, 3.0, 0.5]))
    served = [pick.facet for pick in in_turn_select(pool, k=8)]
    assert served == [0, 2, 1, 3] * 2


@every_method
def test_a_facet_that_nobody_serves_loses_its_share(select: Select) -> None:
    rows = [[0.9, 0.0], [0.8, 0.0], [0.0, 0.7], [0.0, 0.6]]
    without = select(pool_of(rows, 1, 1), 4, None)
    empty = np.zeros((4, 1))
    pool = FacetPool(facet_relevance=np.hstack([rows, empty]), weights=np.array([1.0, 1.0, 50.0]))
    assert select(pool, 4, None) == without


@every_method
def test_a_facet_of_which_all_is_picked_does_not_block_the_rest(select: Select) -> None:
    pool = pool_of([[0.9, 0], [0, 0.5], [0, 0.4], [0, 0.3]], 9, 1)
    assert sorted(indices(select(pool, 4, None))) == [0, 1, 2, 3]


@every_method
def test_candidates_that_serve_no_facet_come_last_by_relevance(select: Select) -> None:
    pool = FacetPool(
        facet_relevance=np.array([[0.0], [0.0], [0.5]]),
        weights=np.array([1.0]),
        relevance=np.array([0.1, 0.2, 0.3]),
    )
    picks = select(pool, 3, None)
    assert [(pick.index, pick.facet) for pick in picks] == [(2, 0), (1, None), (0, None)]


@every_method
@given(seed=seeds, size=st.integers(0, 15), k=st.integers(0, 16))
def test_a_longer_selection_begins_with_the_shorter(
    select: Select, seed: int, size: int, k: int
) -> None:
    pool = random_pool(seed, size=size)
    coverage = Coverage.from_matrix(random_redundancy(seed, size=size))
    longer = select(pool, k + 1, coverage)
    assert longer[:k] == select(pool, k, coverage)
    assert len(set(indices(longer))) == len(longer) == min(k + 1, size)


@every_method
@given(seed=seeds, size=st.integers(1, 15))
def test_the_order_of_candidates_does_not_matter(select: Select, seed: int, size: int) -> None:
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


@every_method
@given(seed=seeds, size=st.integers(1, 12))
def test_the_order_of_facets_does_not_matter(select: Select, seed: int, size: int) -> None:
    pool = random_pool(seed, size=size, facets=4)
    order = np.random.default_rng(seed).permutation(4)
    turned = FacetPool(
        facet_relevance=pool.facet_relevance[:, order],
        weights=pool.weights[order],
        relevance=pool.relevance,
    )
    assert indices(select(turned, 6, None)) == indices(select(pool, 6, None))


@given(seed=seeds, size=st.integers(2, 12), scheme=st.sampled_from(["pm2", "xquad"]))
def test_identical_candidates_are_never_both_picked_while_another_is_left(
    seed: int, size: int, scheme: str
) -> None:
    once = random_pool(seed, size=size)
    assert once.relevance is not None
    pool = FacetPool(
        facet_relevance=np.concatenate([once.facet_relevance] * 2),
        weights=once.weights,
        relevance=np.concatenate([once.relevance] * 2),
    )
    redundancy = np.tile(np.eye(size), (2, 2))
    settings = FacetSelectSettings(scheme="pm2" if scheme == "pm2" else "xquad")
    selection = facet_select(
        pool, k=size, coverage=Coverage.from_matrix(redundancy), settings=settings
    )
    assert sorted(pick.index % size for pick in selection.picks) == list(range(size))
    assert all(reason.near_duplicate for reason in selection.rejections)
    assert all(reason.beaten_by == reason.index % size for reason in selection.rejections)


@given(seed=seeds, size=st.integers(1, 12), k=st.integers(1, 12))
def test_every_candidate_is_picked_or_has_a_reason(seed: int, size: int, k: int) -> None:
    pool = random_pool(seed, size=size)
    coverage = Coverage.from_matrix(random_redundancy(seed, size=size))
    selection = facet_select(pool, k=k, coverage=coverage)
    picked = set(indices(selection.picks))
    assert picked | {reason.index for reason in selection.rejections} == set(range(size))
    for reason in selection.rejections:
        assert reason.index not in picked
        assert reason.beaten_by in picked
        assert reason.covered_by in picked | {None}
        assert 0 <= reason.nearness <= 1
        assert 0 <= reason.coverage <= 1


def test_a_rejection_by_hand() -> None:
    # one facet: gains λ·rel = 0.45, 0.40, 0.10. Candidate 1 is 0.8 covered by 0, so it keeps
    # a fifth of its gain at step 2 (quotient 1/3): 0.5·0.8/3·0.2 = 0.0267 < 0.5·0.2/3 = 0.0333.
    pool = pool_of([[0.9], [0.8], [0.2]], 1)
    redundancy = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])
    selection = facet_select(pool, k=2, coverage=Coverage.from_matrix(redundancy))
    assert indices(selection.picks) == [0, 2]
    (reason,) = selection.rejections
    assert (reason.index, reason.beaten_by, reason.covered_by) == (1, 0, 0)
    assert reason.gain == pytest.approx(0.5 * 0.8 / 3 * 0.2)
    assert reason.nearness == pytest.approx(0.8 / 0.9)
    assert reason.coverage == pytest.approx(0.8)
    assert not reason.near_duplicate


def test_four_copies_of_the_research_take_one_slot() -> None:
    # the reference's case: four near-identical hits at 0.754, the plan for the role at 0.601
    pool = pool_of([[0.754, 0], [0.754, 0], [0.754, 0], [0.754, 0], [0.601, 0], [0, 0.643]], 2, 1)
    redundancy = np.eye(6)
    redundancy[:4, :4] = 0.95
    picks = facet_select(pool, k=3, coverage=Coverage.from_matrix(redundancy)).picks
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
    selection = facet_select(pool, k=3, coverage=wider)
    assert indices(selection.picks) == [0, 1, 3]
    assert selection.rejections[0].near_duplicate


@every_method
def test_a_pool_without_facets_is_picked_by_relevance(select: Select) -> None:
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
    with pytest.raises(ValueError, match="at least 1"):
        facet_select(pool, k=0)
    with pytest.raises(ValueError, match="k must not"):
        pm2_select(pool, k=-1)
    for select in (pm2_select, xquad_select):
        with pytest.raises(ValueError, match="lambda_"):
            select(pool, k=1, lambda_=2)
    with pytest.raises(ValueError, match="coverage knows"):
        pm2_select(pool, k=1, repetition=Repetition(coverage=Coverage.from_matrix(np.eye(2))))
    with pytest.raises(ValueError, match="duplicate_at"):
        Repetition(duplicate_at=2)
    for matrix in (np.zeros((1, 2)), np.full((1, 1), 2.0)):
        with pytest.raises(ValueError, match="redundancy"):
            Coverage.from_matrix(matrix)
