"""Plans of questions: those that a planner writes, and those that stand in a file.

The file: {scenario: {question id: {"facets": [{"name": …, "hop": 1, "queries": […]}, …]}}}. Its
plans may be anybody's, a person's or a large model's; it says nothing of what is stored.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from secondhop.errors import UsageError, said_by_system
from secondhop.evals.baselines_planned import FacetQueries
from secondhop.evals.scenario import Scenario, Text
from secondhop.nodes.planning.port import Plan, PlannedFacet, Planner, PlanRequest
from secondhop.nodes.planning.question_kind import question_kind


class WrittenFacet(BaseModel):
    """One aspect, with the queries that look for it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Text
    why: str = ""
    hop: Annotated[int, Field(ge=1)] = 2
    weight: Annotated[float, Field(gt=0)] = 1.0
    queries: Annotated[list[Text], Field(min_length=1)]

    def planned(self) -> PlannedFacet:
        """As a planner gives it."""
        return PlannedFacet(
            name=self.name,
            why=self.why or "Planned for this question.",
            hop=self.hop,
            queries=tuple(self.queries),
            weight=self.weight,
        )


class WrittenPlan(BaseModel):
    """The plan of one question."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    facets: Annotated[list[WrittenFacet], Field(min_length=1)]

    def planned(self) -> tuple[PlannedFacet, ...]:
        """Its facets, in order."""
        return tuple(facet.planned() for facet in self.facets)


_PLANS = TypeAdapter(dict[str, dict[str, WrittenPlan]])


class WrittenPlanner:
    """Plans by looking a question up; one that it does not know goes alone."""

    def __init__(self, plans: Mapping[str, tuple[PlannedFacet, ...]], *, planner_id: str) -> None:
        """`plans` by the text of the question."""
        self._plans, self._planner_id = plans, planner_id

    @property
    def planner_id(self) -> str:
        """As given."""
        return self._planner_id

    async def decompose(self, request: PlanRequest) -> Plan:
        """The kind of the question, by its words; all facets come with `expand`."""
        return Plan(facets=(), kind=question_kind(request.question))

    async def expand(self, request: PlanRequest) -> Plan:
        """The facets that stand there, in their order."""
        return Plan(facets=self._plans.get(request.question, ()))


def load_planner(path: Path, scenario: Scenario) -> WrittenPlanner:
    """The plans that a file holds for a scenario.

    Raises:
        UsageError: it cannot be read, has another form, or lacks a question of the scenario.
    """
    texts = {question.id: question.query for question in scenario.questions}
    return load_plans(path, name=scenario.name, questions=texts)


def load_plans(path: Path, *, name: str, questions: Mapping[str, str]) -> WrittenPlanner:
    """As `load_planner`, for any set: its name, and {question id: its text}."""
    try:
        plans = _PLANS.validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {said_by_system(error)}") from error
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise UsageError(f"{path}: {where + ': ' if where else ''}{problem['msg']}") from error
    own = plans.get(name, {})
    lacking = [question_id for question_id in questions if question_id not in own]
    if lacking:
        raise UsageError(
            f"{path} has no plan for {', '.join(lacking)} of {name!r}; "
            f"add them, or leave the set out"
        )
    by_text = {text: own[question_id].planned() for question_id, text in questions.items()}
    return WrittenPlanner(by_text, planner_id=f"file:{path.name}")


async def queries_of(planner: Planner, request: PlanRequest) -> FacetQueries:
    """The question, then the queries of every planned facet, as a recall would ask them."""
    plans = await asyncio.gather(planner.decompose(request), planner.expand(request))
    planned = [facet.queries for plan in plans for facet in plan.facets]
    return [(request.question,), *planned]
