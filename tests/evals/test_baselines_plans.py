"""Plans out of a file: what they look like, what is refused, and that a recall follows them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evals.small_scenario import small_scenario
from tests.fakes import NOW
from tests.small_world import QUESTION, SmallWorld, ask

from secondhop.errors import UsageError
from secondhop.evals.baselines_own import UNBOUNDED
from secondhop.evals.baselines_plans import load_planner, queries_of
from secondhop.nodes.planning.port import PlanRequest

QUERIES = ("tomatoes need water", "basil in the shade")
FACET = {"name": "garden", "hop": 2, "queries": QUERIES}
NO_QUERIES: dict[str, object] = {"name": "x", "queries": ()}
GIVEN = {"small": {"interview": {"facets": [FACET]}, "garden": {"facets": [FACET]}}}


def written(folder: Path, plans: Any) -> Path:
    path = folder / "plans.json"
    path.write_text(plans if isinstance(plans, str) else json.dumps(plans), encoding="utf-8")
    return path


async def test_the_question_comes_first_and_then_every_facet(tmp_path: Path) -> None:
    planner = load_planner(written(tmp_path, GIVEN), small_scenario())
    request = PlanRequest(question=QUESTION, asked_at=NOW, remaining=UNBOUNDED)

    assert await queries_of(planner, request) == [(QUESTION,), QUERIES]
    assert await queries_of(planner, replace(request, question="?")) == [("?",)]


async def test_a_recall_asks_what_the_file_says(tmp_path: Path, world: SmallWorld) -> None:
    planner = load_planner(written(tmp_path, GIVEN), small_scenario())

    result, trace = await ask(world.services(planner=planner))

    assert {query.text for query in trace.queries} >= {QUESTION, *QUERIES}
    assert "garden" in result.ids()


@pytest.mark.parametrize(
    ("plans", "told"),
    [
        ("[", "Invalid JSON"),
        ({"small": {"interview": {"facets": [NO_QUERIES]}}}, "queries"),
        ({"small": {"interview": {"facets": ()}}}, "facets"),
        ({"small": {"interview": {"facets": [FACET]}}}, "no plan for garden"),
        ({"other": {}}, "no plan for interview, garden"),
    ],
)
def test_a_file_of_another_form_is_refused_by_name(tmp_path: Path, plans: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told) as refused:
        load_planner(written(tmp_path, plans), small_scenario())
    assert "plans.json" in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        load_planner(tmp_path / "nowhere.json", small_scenario())
