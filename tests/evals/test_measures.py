"""Every measure against values of an independent implementation of the same definitions."""

from datetime import UTC, datetime

import pytest

from secondhop.evals.measures import MEASURES, measure
from secondhop.evals.scenario import LabelledFacet, Question

QUESTION = Question(
    id="q",
    query="What do I need?",
    asked_at=datetime(2026, 1, 1, tzinfo=UTC),
    k=4,
    facets=[
        LabelledFacet(name="named", why="w", hop=1, relevant={"a": 3, "b": 3, "c": 2, "d": 1}),
        LabelledFacet(name="implied", why="w", hop=2, relevant={"e": 3, "a": 1}),
        LabelledFacet(name="own plan", why="w", hop=2, relevant={"f": 2, "g": 2, "old": 3}),
    ],
    redundant=[["a", "b"], ["f", "g"]],
    stale={"old": "f"},
)

EXPECTED = {
    "": (0, 0, 0, 0, 0, 0),
    "a e f c": (1, 1, 0.9898386479915605, 0, 0, 1),
    "a b a2 g f": (2 / 3, 0.5, 0.7545713468945192, 0.25, 0, 0.75),
    "old e x f": (2 / 3, 0.5, 0.4274935132658335, 0, 0.25, 0.75),
    "a c d b": (1 / 3, 0.5, 0.7382077035236243, 0.25, 0, 1),
    "d": (0, 0, 0.15521837827172877, 0, 0, 1),
    "x y z w": (0, 0, 0, 0, 0, 0),
    "x y z w a e": (0, 0, 0, 0, 0, 0),
}


@pytest.mark.parametrize(("ranked", "expected"), EXPECTED.items())
def test_measures_of_a_small_question(ranked: str, expected: tuple[float, ...]) -> None:
    measured = measure(QUESTION, ranked.split())

    assert tuple(measured) == MEASURES
    assert tuple(measured.values()) == pytest.approx(expected, abs=1e-12)
