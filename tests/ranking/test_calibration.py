"""Scores in 0..1."""

import numpy as np
import pytest

from secondhop.ranking.calibration import LogisticCalibration


def test_the_logistic_curve_by_hand() -> None:
    curve = LogisticCalibration(slope=2.0, intercept=-1.0)
    assert curve([0.5, 1.0]) == pytest.approx([0.5, 1 / (1 + np.exp(-1))])
    assert curve([-1e9, 1e9]).tolist() == [0.0, 1.0]
