"""Chosen on some scenarios, reported on the one left out."""

from collections.abc import Mapping

import pytest

from secondhop.errors import UsageError
from secondhop.evals.comparison import Rows
from secondhop.evals.held_out import OBJECTIVE, chosen_of


def rows(worth: float) -> Rows:
    """Two questions of a scenario that a setting answers this well."""
    row = {"alpha_ndcg": worth, "redundancy": 0.0, "stale_rate": 0.0}
    return {"q-1": row, "q-2": row}


def grid(**settings: Mapping[str, float]) -> dict[str, dict[str, Rows]]:
    return {
        name: {scenario: rows(worth) for scenario, worth in by_scenario.items()}
        for name, by_scenario in settings.items()
    }


DEFAULT = {"a": 0.5, "b": 0.5, "c": 0.5}


def test_a_setting_that_fits_one_scenario_is_not_chosen_by_the_others() -> None:
    fits_a, good = {"a": 1.0, "b": 0.1, "c": 0.1}, {"a": 0.6, "b": 0.6, "c": 0.6}
    found = chosen_of(grid(defaults=DEFAULT, fits_a=fits_a, good=good))

    assert found.by_others == {"a": "good", "b": "good", "c": "good"}
    assert found.to_use == "good"
    first = found.comparison.differences[0]
    assert first.measure == OBJECTIVE
    assert [first.ours, first.theirs] == [pytest.approx(0.6), pytest.approx(0.5)]


def test_what_fits_its_own_scenario_is_found_out_on_the_one_left_out() -> None:
    fits_a, fits_b = {"a": 2.0, "b": 0.1, "c": 0.1}, {"a": 0.1, "b": 2.0, "c": 0.1}
    found = chosen_of(grid(defaults=DEFAULT, fits_a=fits_a, fits_b=fits_b))

    assert found.comparison.differences[0].ours < 0.5


def test_with_one_scenario_there_is_no_result() -> None:
    with pytest.raises(UsageError, match="at least two scenarios"):
        chosen_of(grid(defaults={"a": 0.5}))
