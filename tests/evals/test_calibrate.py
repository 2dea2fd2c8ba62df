"""A fitted scale is reported on what it has not seen."""

import math

import numpy as np
import pytest
from tests.evals.labelled import labelled

from secondhop.evals.calibrate import (
    ALWAYS_THE_SAME,
    calibrated,
    figures_of,
    weights_of,
)
from secondhop.evals.calibrate_pairs import (
    Pair,
    scenario_queries,
)
from secondhop.evals.scenario import Scenario
from secondhop.ranking.calibration import LogisticCalibration


def made(group: str, *, half: float, questions: int = 4) -> list[Pair]:
    """Pairs that are relevant from a cosine on, but for some noise that no fit can learn."""
    return [
        Pair(group, f"{group}-{n % questions}", cosine, (cosine > half) != (n % 11 == 0))
        for n, cosine in enumerate(np.linspace(0.1, 0.9, 80).tolist())
    ]


def test_the_figures_by_hand() -> None:
    said, labels = np.array([0.9, 0.2, 0.95, 1.0]), np.array([1.0, 0, 0, 1])
    figures = figures_of(said, labels, weights=np.ones(4))

    assert figures.brier == pytest.approx((0.01 + 0.04 + 0.9025 + 0) / 4)
    losses = [math.log(0.9), math.log(0.8), math.log(0.05), math.log(1 - 1e-6)]
    assert figures.log_loss == pytest.approx(-sum(losses) / 4)


def test_every_pair_is_predicted_by_a_fit_that_has_not_seen_its_scenario() -> None:
    """Two scenarios whose scales differ: a training figure would be far better."""
    pairs = made("low", half=0.3) + made("high", half=0.7)

    report = calibrated(pairs, embedder_id="e")

    assert list(report.folds) == ["low", "high"]
    low, high = (calibrated(made(n, half=h), embedder_id="e") for n, h in (("a", 0.3), ("b", 0.7)))
    cosines = np.array([pair.cosine for pair in pairs])
    labels = np.array([pair.relevant for pair in pairs], dtype=np.float64)
    said = np.concatenate([high.calibration(cosines[:80]), low.calibration(cosines[80:])])
    weights = weights_of(labels)
    assert report.held_out.brier == pytest.approx(figures_of(said, labels, weights=weights).brier)
    training = figures_of(report.calibration(cosines), labels, weights=weights)
    assert report.held_out.brier > training.brier + 0.02
    assert "training" not in str(report.document())


def test_a_fit_beats_a_wrong_scale_and_saying_always_the_same() -> None:
    pairs = made("one", half=0.5) + made("two", half=0.5)
    wrong = LogisticCalibration(slope=14.0, intercept=-14.0)

    report = calibrated(pairs, embedder_id="e", known={"wrong": wrong})

    assert report.held_out.log_loss < report.beside["wrong"].log_loss
    assert report.held_out.log_loss < report.beside[ALWAYS_THE_SAME].log_loss


def test_a_question_counts_all_its_labels_and_a_facet_its_own() -> None:
    question = labelled(
        {"a": 3}, {"b": 2, "a": 1, "old": 3}, redundant=[["b", "copy"]], stale={"old": "b"}
    )
    scenario = Scenario(name="s", memories=(), questions=(question,), no_answer=())

    whole, first, second = scenario_queries(scenario)

    assert (whole.text, first.text, second.text) == (question.query, "f1", "f2")
    assert whole.grades == {"a": 3, "b": 2, "old": 3, "copy": 2}
    assert first.grades == {"a": 3}
    assert second.grades == {"a": 1, "b": 2, "old": 3, "copy": 2}
    assert whole.passed_over == {"old"}
