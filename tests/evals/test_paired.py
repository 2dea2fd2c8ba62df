"""The paired bootstrap: sure of what is sure, the same each time, a mirror of itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.evals.paired import paired_interval

differences = st.lists(st.floats(-1, 1), min_size=1, max_size=12)
strata = st.lists(differences, min_size=1, max_size=4)
FEW = 400


@given(strata)
def test_the_interval_holds_within_the_differences_and_comes_again(rows: list[list[float]]) -> None:
    found = paired_interval(rows, resamples=FEW)
    least = sum(map(min, rows)) / len(rows)
    most = sum(map(max, rows)) / len(rows)

    assert least - 1e-9 <= found.low <= found.high <= most + 1e-9
    assert found == paired_interval(rows, resamples=FEW)


@given(strata)
def test_the_other_way_round_the_interval_is_its_mirror(rows: list[list[float]]) -> None:
    there = paired_interval(rows, resamples=FEW)
    back = paired_interval([[-one for one in row] for row in rows], resamples=FEW)

    assert back.difference == pytest.approx(-there.difference)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))


@given(strata)
def test_a_higher_level_is_a_wider_interval(rows: list[list[float]]) -> None:
    narrow = paired_interval(rows, level=0.5, resamples=FEW)
    wide = paired_interval(rows, level=0.95, resamples=FEW)

    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@given(st.floats(-1, 1), st.integers(1, 10))
def test_what_is_the_same_in_every_question_is_certain(one: float, questions: int) -> None:
    found = paired_interval([[one] * questions, [one]], resamples=FEW)

    assert (found.difference, found.low, found.high) == pytest.approx((one, one, one))


def test_every_scenario_counts_the_same_and_keeps_its_questions() -> None:
    found = paired_interval([[1.0] * 30, [0.0]], resamples=FEW)

    assert (found.difference, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_the_interval_is_as_wide_as_theory_says() -> None:
    rows = np.random.default_rng(1).normal(0.1, 0.2, size=200).tolist()

    found = paired_interval([rows])

    half = 1.96 * float(np.std(rows)) / 200**0.5
    assert found.high - found.low == pytest.approx(2 * half, rel=0.05)


def test_another_seed_is_another_draw() -> None:
    rows = [[0.3, -0.2, 0.1, 0.0, 0.25]]

    assert paired_interval(rows, resamples=50) != paired_interval(rows, resamples=50, seed=1)


@pytest.mark.parametrize("rows", [[], [[]], [[0.1], []]])
def test_nothing_to_compare_is_an_error(rows: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="at least one difference"):
        paired_interval(rows)
