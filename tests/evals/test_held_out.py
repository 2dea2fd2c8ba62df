"""Chosen on some scenarios, reported on the one left out."""

from collections.abc import Mapping

import pytest

from secondhop.errors import UsageError
from secondhop.evals.held_out import HeldOutTable, choose, choose_by
from secondhop.evals.measures import Measures

GRID = {
    "default": {"a": 0.5, "b": 0.5, "c": 0.5},
    "fits a": {"a": 1.0, "b": 0.1, "c": 0.1},
    "fits b": {"a": 0.1, "b": 1.0, "c": 0.1},
    "good": {"a": 0.6, "b": 0.6, "c": 0.6},
}
SCENARIOS = {name: name for name in "abc"}


def objective(measures: Measures) -> float:
    return measures["facet_recall"]


async def score(setting: str, scenario: str) -> Measures:
    return {"facet_recall": GRID[setting][scenario]}


async def chosen(*settings: str) -> HeldOutTable[str]:
    return await choose(settings, SCENARIOS, score, objective=objective)


async def test_a_setting_that_fits_one_scenario_is_not_chosen_by_the_others() -> None:
    table = await chosen("default", "fits a", "fits b", "good")

    assert [fold.left_out for fold in table.folds] == ["a", "b", "c"]
    assert {fold.chosen for fold in table.folds} == {"good"}
    assert table.result() == {"facet_recall": pytest.approx(0.6)}
    assert table.default() == {"facet_recall": pytest.approx(0.5)}
    assert table.to_use == "good"


async def test_what_fits_its_own_scenarios_is_found_out_on_the_one_left_out() -> None:
    """With two overfitted settings alone, training looks well and the result is bad."""
    table = await chosen("fits a", "fits b")

    assert table.training()["facet_recall"] == pytest.approx((0.55 + 0.55 + 0.55) / 3)
    assert table.result()["facet_recall"] == pytest.approx(0.1)
    assert table.optimism()["facet_recall"] == pytest.approx(0.45)
    assert table.document()["held_out"] == table.result()


async def test_a_setting_that_is_no_better_than_the_default_is_not_chosen() -> None:
    GRID["the same"] = dict(GRID["default"])

    table = await chosen("default", "the same")

    assert {fold.chosen for fold in table.folds} == {"default"}


async def test_every_setting_is_scored_once_a_scenario_and_progress_is_heard() -> None:
    asked: list[tuple[str, str]] = []
    heard: list[tuple[int, int]] = []

    async def counted(setting: str, scenario: str) -> Measures:
        asked.append((setting, scenario))
        return await score(setting, scenario)

    await choose(
        ["default", "good"],
        SCENARIOS,
        counted,
        objective=objective,
        progress=lambda done, total: heard.append((done, total)),
    )

    assert len(asked) == len(set(asked)) == 6
    assert heard == [(n, 6) for n in range(1, 7)]


async def test_a_search_never_sees_the_scenario_it_is_reported_on() -> None:
    seen: list[set[str]] = []

    async def search(scenarios: Mapping[str, str]) -> str:
        seen.append(set(scenarios))
        return max(GRID, key=lambda setting: sum(GRID[setting][one] for one in scenarios))

    table = await choose_by(search, SCENARIOS, score, default="default")

    assert seen == [{"b", "c"}, {"a", "c"}, {"a", "b"}, {"a", "b", "c"}]
    assert all(fold.left_out not in others for fold, others in zip(table.folds, seen, strict=False))
    assert table.result()["facet_recall"] == pytest.approx(0.6)


async def test_with_one_scenario_there_is_no_result() -> None:
    with pytest.raises(UsageError, match="at least two scenarios"):
        await choose(["default"], {"a": "a"}, score, objective=objective)


async def test_without_a_setting_there_is_nothing_to_choose() -> None:
    with pytest.raises(UsageError, match="no setting"):
        await choose([], SCENARIOS, score, objective=objective)
