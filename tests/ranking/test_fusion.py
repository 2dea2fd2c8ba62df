"""Fusion within a facet and sharing of slots between facets."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from secondhop.ranking.fusion import reciprocal_rank_fusion

Runs = list[list[str]]

ids = st.sampled_from([f"m{n}" for n in range(9)])
rankings = st.lists(st.lists(ids, unique=True, max_size=9), max_size=5)
shuffled_runs = rankings.flatmap(lambda runs: st.tuples(st.just(runs), st.permutations(runs)))


def test_scores_are_sums_of_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion([["a", "b"], ["b"]])
    assert [found for found, _ in fused] == ["b", "a"]
    assert [score for _, score in fused] == pytest.approx([1 / 62 + 1 / 61, 1 / 61])


def test_a_weight_multiplies_its_ranking() -> None:
    fused = reciprocal_rank_fusion([["a"], ["b"]], k=1, weights=[1, 3])
    assert fused == [("b", 1.5), ("a", 0.5)]


def test_equal_scores_go_to_the_smaller_id() -> None:
    assert [found for found, _ in reciprocal_rank_fusion([["b"], ["a"]])] == ["a", "b"]


def test_an_id_that_comes_again_takes_no_rank() -> None:
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == reciprocal_rank_fusion([["a", "b"]])


@given(shuffled_runs)
@example(
    (
        [["x"], ["x"], ["y", "x"]],
        [["x"], ["y", "x"], ["x"]],
    )
)
def test_the_order_of_the_rankings_does_not_matter(pair: tuple[Runs, Runs]) -> None:
    runs, shuffled = pair
    assert reciprocal_rank_fusion(runs) == reciprocal_rank_fusion(shuffled)


@given(rankings)
def test_fusion_keeps_the_union_without_duplicates_and_scores_never_rise(runs: Runs) -> None:
    fused = reciprocal_rank_fusion(runs)
    found = [found for found, _ in fused]
    assert len(found) == len(set(found))
    assert set(found) == {member for run in runs for member in run}
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)


@given(st.lists(ids, unique=True))
def test_one_ranking_stays_as_it_was(run: list[str]) -> None:
    assert [found for found, _ in reciprocal_rank_fusion([run])] == run
