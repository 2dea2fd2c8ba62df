"""The cluster bootstrap: conversations are drawn, their questions stay together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.evals.clustered import clustered_interval
from secondhop.evals.paired import paired_interval

clusters = st.lists(st.floats(-1, 1), min_size=1, max_size=4)
strata = st.lists(st.lists(clusters, min_size=1, max_size=6), min_size=1, max_size=3)
FEW = 400


@given(strata)
def test_the_interval_holds_within_the_clusters_means_and_comes_again(
    rows: list[list[list[float]]],
) -> None:
    found = clustered_interval(rows, resamples=FEW)
    means = [[float(np.mean(own)) for own in stratum] for stratum in rows]

    assert sum(map(min, means)) / len(rows) - 1e-9 <= found.low <= found.high
    assert found.high <= sum(map(max, means)) / len(rows) + 1e-9
    assert found == clustered_interval(rows, resamples=FEW)


@given(strata)
def test_the_other_way_round_the_interval_is_its_mirror(rows: list[list[list[float]]]) -> None:
    there = clustered_interval(rows, resamples=FEW)
    back = clustered_interval([[[-x for x in own] for own in s] for s in rows], resamples=FEW)

    assert back.difference == pytest.approx(-there.difference)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))


@given(st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=8), min_size=1, max_size=3))
def test_with_one_question_a_conversation_it_is_the_bootstrap_over_questions(
    rows: list[list[float]],
) -> None:
    found = clustered_interval([[[one] for one in row] for row in rows], resamples=FEW)
    plain = paired_interval(rows, resamples=FEW)

    assert found.difference == pytest.approx(plain.difference)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))


def test_questions_that_only_repeat_their_conversation_make_nothing_surer() -> None:
    rows = np.random.default_rng(1).normal(0.1, 0.2, size=20).tolist()

    found = clustered_interval([[[one] * 30 for one in rows]])
    over_questions = paired_interval([[one for one in rows for _ in range(30)]])
    over_conversations = paired_interval([rows])

    bounds = (over_conversations.low, over_conversations.high)
    assert (found.low, found.high) == pytest.approx(bounds)
    assert found.high - found.low > 4 * (over_questions.high - over_questions.low)


def test_questions_count_the_same_and_so_do_strata() -> None:
    found = clustered_interval([[[1.0, 1.0, 1.0], [0.0]], [[0.25]]])

    assert found.difference == pytest.approx((0.75 + 0.25) / 2)
    assert (found.low, found.high) == pytest.approx((0.125, 0.625))


def test_a_long_conversation_weighs_more_in_every_draw_as_it_does_in_the_mean() -> None:
    found = clustered_interval([[[1.0] * 9, [0.0]]], level=0.4)

    bounds = (found.low, found.high)
    assert bounds == pytest.approx((0.9, 0.9)), "both drawn: half of all draws"


NOTHING: list[list[list[list[float]]]] = [[], [[]], [[[]]], [[[0.1]], []], [[[0.1], []]]]


@pytest.mark.parametrize("rows", NOTHING)
def test_nothing_to_compare_is_an_error(rows: list[list[list[float]]]) -> None:
    with pytest.raises(ValueError, match="an interval needs"):
        clustered_interval(rows)
