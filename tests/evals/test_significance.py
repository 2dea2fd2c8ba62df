"""Confidence intervals and p-values, on numbers that a reader can check."""

import pytest

from secondhop.evals.significance import paired_interval, randomisation_p


def test_each_scenario_counts_the_same() -> None:
    found = paired_interval([[1.0], [0.0, 0.0, 0.0]])

    assert found.difference == 0.5
    assert (found.low, found.high) == (0.5, 0.5), "no row varies, so drawing again changes nothing"


def test_an_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few, many = paired_interval([[0.0, 1.0] * 3]), paired_interval([[0.0, 1.0] * 50])

    assert few.low <= few.difference <= few.high
    assert many.high - many.low < (few.high - few.low) / 2


@pytest.mark.parametrize(
    ("differences", "p"), [([1.0], 1.0), ([1.0] * 3, 0.25), ([0.0] * 5, 1.0), ([1.0] * 6, 2 / 64)]
)
def test_p_counts_every_combination_of_signs_of_few_questions(
    differences: list[float], p: float
) -> None:
    assert randomisation_p([differences]) == pytest.approx(p)
