"""Two systems compared: means, wins, and whether higher or lower is better."""

import pytest

from secondhop.evals.comparison import compared
from secondhop.evals.report import SystemRun


def rows(**values: float) -> SystemRun:
    """Answers with this facet recall each; those with 0.5 or more returned the memory "good"."""
    found = {one: {"facet_recall": value, "stale_rate": 1 - value} for one, value in values.items()}
    results = {one: ["good"] if value >= 0.5 else ["bad"] for one, value in values.items()}
    return SystemRun(questions=found, results=results)


def test_each_scenario_counts_the_same_and_wins_are_counted_by_question() -> None:
    ours = {"small": rows(a=1.0), "large": rows(b=0.5, c=0.5, d=0.2)}
    theirs = {"small": rows(a=0.0), "large": rows(b=0.5, c=0.4, d=0.3)}

    comparison = compared("dense", ours, theirs)
    found = {one.measure: one for one in comparison.differences}

    assert found["facet_recall"].ours == pytest.approx((1.0 + 0.4) / 2)
    assert found["facet_recall"].interval.difference == pytest.approx(0.5)
    assert (found["facet_recall"].wins, found["facet_recall"].ties) == (2, 1)
    assert found["facet_recall"].losses == 1
    told = comparison.document()
    assert told["questions"]["small"]["a"] == {
        "verdict": "won",
        "came": ["good"],
        "went": ["bad"],
        "facet_recall": 1.0,
        "stale_rate": -1.0,
    }
    assert (told["won"], told["lost"], told["tied"]) == (2, 1, 1)


def test_of_a_measure_that_is_better_when_lower_less_is_a_win() -> None:
    comparison = compared("x", {"s": rows(a=0.9, b=0.8)}, {"s": rows(a=0.5, b=0.5)})
    stale = comparison.differences[1]

    assert stale.measure == "stale_rate"
    assert stale.interval.difference < 0
    assert (stale.wins, stale.losses) == (2, 0)
