"""Fitting a scale to labelled pairs."""

import math

import numpy as np
import pytest
from tests.evals.labelled import labelled

from secondhop.errors import UsageError
from secondhop.evals.calibrate import SHARE, Pair, essential_for, fitted_scale


def made(*, half: float, noise: int = 11) -> list[Pair]:
    """Pairs that are relevant above the cosine `half`, with every `noise`-th label flipped."""
    cosines = np.linspace(0.1, 0.9, 80).tolist()
    return [Pair(one, (one > half) != (n % noise == 0)) for n, one in enumerate(cosines)]


@pytest.mark.parametrize("half", [0.4, 0.6])
def test_the_curve_lies_where_the_labels_change(half: float) -> None:
    scale = fitted_scale(made(half=half), embedder_id="e", scenarios=["one"])

    found = scale.calibration
    relevant = scale.relevant / scale.pairs
    odds = SHARE / (1 - SHARE) * (1 - relevant) / relevant
    unweighted = -(found.intercept - math.log(odds)) / found.slope
    assert unweighted == pytest.approx(half, abs=0.05)
    assert scale.document()["fitted"] == {"on": ["one"], "pairs": 80, "relevant": scale.relevant}


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([], "0 of 0 pairs are essential"),
        ([Pair(0.1, False), Pair(0.5, False)], "0 of 2 pairs are essential"),
        ([Pair(0.1, True), Pair(0.5, False)], "more similar memories are not more often"),
    ],
)
def test_labels_that_fit_nothing_are_refused(pairs: list[Pair], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        fitted_scale(pairs, embedder_id="e", scenarios=["one"])


def test_a_question_counts_all_its_labels_and_a_facet_its_own() -> None:
    question = labelled(
        {"a": 3}, {"b": 3, "a": 1, "c": 2}, redundant=[["b", "copy"]], stale={"old": "b"}
    )

    assert list(essential_for(question)) == [
        (question.query, {"a", "b", "copy"}),
        ("f1", {"a"}),
        ("f2", {"b", "copy"}),
    ]
