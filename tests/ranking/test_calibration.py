"""Scores in 0..1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.calibration import LogisticCalibration, fit_logistic

seeds = st.integers(0, 2**32 - 1)


def test_the_logistic_curve_by_hand() -> None:
    curve = LogisticCalibration(slope=2.0, intercept=-1.0)
    assert curve([0.5, 1.0]) == pytest.approx([0.5, 1 / (1 + np.exp(-1))])
    assert curve([-1e9, 1e9]).tolist() == [0.0, 1.0]


def test_a_fit_finds_the_curve_that_made_the_labels() -> None:
    scores = np.linspace(0.4, 0.9, 51)
    truth = LogisticCalibration(slope=18.0, intercept=-12.0)
    found = fit_logistic(scores, truth(scores), l2=1e-9)
    assert (found.slope, found.intercept) == pytest.approx((18.0, -12.0), rel=1e-4)


def test_a_weight_of_two_is_two_examples() -> None:
    twice = fit_logistic([0.1, 0.4, 0.4, 0.3, 0.9], [0, 1, 1, 0, 1])
    heavy = fit_logistic([0.1, 0.4, 0.3, 0.9], [0, 1, 0, 1], weights=[1, 2, 1, 1])
    assert (heavy.slope, heavy.intercept) == pytest.approx((twice.slope, twice.intercept))


def test_separable_labels_have_a_finite_fit() -> None:
    found = fit_logistic([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], l2=1e-6)
    assert np.isfinite([found.slope, found.intercept]).all()
    assert found(0.15).item() < 0.01 < 0.99 < found(0.85).item()


def test_scores_that_are_all_equal_give_the_base_rate() -> None:
    assert fit_logistic([0.3, 0.3, 0.3, 0.3], [0, 0, 0, 1])(0.3).item() == pytest.approx(0.25)


@given(seeds, st.floats(0.1, 50), st.floats(-20, 20))
def test_a_fit_keeps_the_mean_and_does_not_mind_the_scale(
    seed: int, scale: float, shift: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=40)
    labels = (scores + rng.normal(size=40) > 0).astype(float)
    labels[:2] = 0, 1
    plain = fit_logistic(scores, labels)(scores)
    assert plain.mean() == pytest.approx(labels.mean(), abs=1e-5)
    scaled = scores * scale + shift
    assert fit_logistic(scaled, labels)(scaled) == pytest.approx(plain, abs=1e-5)


def test_input_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="all 0 or all 1"):
        fit_logistic([1, 2], [1, 1])
    with pytest.raises(ValueError, match="l2"):
        fit_logistic([1, 2], [0, 1], l2=0)
    with pytest.raises(ValueError, match="n > 0"):
        fit_logistic([], [])
    with pytest.raises(ValueError, match="labels"):
        fit_logistic([1], [2])
    with pytest.raises(ValueError, match="not all 0"):
        fit_logistic([1], [1], weights=[0])
