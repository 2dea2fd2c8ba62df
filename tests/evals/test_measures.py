"""Every measure against values of an independent implementation of the same definitions."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from secondhop.evals.measures import MEASURES, mean_of, measure
from secondhop.evals.scenario import LabelledFacet, Question, load_scenario

SCENARIOS = Path(__file__).resolve().parents[2] / "examples" / "scenarios"

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

EVERY_SECOND_LABELLED = {
    "carefeed": (
        0.606666666667,
        0.446666666667,
        0.601032512742,
        0.033333333333,
        0.14,
        0.753333333333,
    ),
    "episodes": (
        0.666666666667,
        0.659722222222,
        0.634913843215,
        0.013888888889,
        0.058333333333,
        0.941666666667,
    ),
    "house": (0.42, 0.306666666667, 0.393123878423, 0.066666666667, 0.183333333333, 0.616666666667),
    "ops-notes": (
        0.630952380952,
        0.595238095238,
        0.505029420892,
        0,
        0.283333333333,
        0.716666666667,
    ),
}


@pytest.mark.parametrize(("ranked", "expected"), EXPECTED.items())
def test_measures_of_a_small_question(ranked: str, expected: tuple[float, ...]) -> None:
    measured = measure(QUESTION, ranked.split())

    assert tuple(measured) == MEASURES
    assert tuple(measured.values()) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("name", "expected"), EVERY_SECOND_LABELLED.items())
def test_measures_of_the_shipped_scenarios(name: str, expected: tuple[float, ...]) -> None:
    rows = [
        measure(question, sorted(set(question.labelled_ids()) - only_replacements(question))[::2])
        for question in load_scenario(SCENARIOS / name).questions
    ]

    assert tuple(mean_of(rows).values()) == pytest.approx(expected, abs=1e-9)


def only_replacements(question: Question) -> set[str]:
    """Ids that stand nowhere but as the replacement of a stale memory."""
    named = {one for facet in question.facets for one in facet.relevant}
    named |= {one for group in question.redundant for one in group} | set(question.stale)
    return set(question.stale.values()) - named
