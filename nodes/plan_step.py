"""Asks the planner and puts its plan into the state; shared by decompose and expand."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from secondhop.errors import ModelError
from secondhop.nodes.budget import counts_of, usage_of_failure
from secondhop.nodes.planning.port import KeptName, Plan, PlanRequest
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, ByName, Facet, Query, RecallUpdate
from secondhop.stores.keeping import Kind
from secondhop.wording import counted

PLANNING_SHARE = 0.5
"""Share of the time left that planning may take; a plan is worthless without time to search."""

MOST_BY_NAME = 3
"""Most facts, and most preferences, that a plan may ask for by name."""


async def plan_or_none(
    step: Literal["decompose", "expand"], request: PlanRequest, *, services: Services
) -> tuple[Plan, RecallUpdate]:
    """(plan, update). If the model fails or is late, or no call is left, the plan is empty and the
    update holds `degraded`."""
    planner = services.planner
    if planner is None or not request.remaining.affords_model:
        return Plan(facets=()), {"degraded": {step: f"{step}: no model call is left"}}
    ask = planner.decompose if step == "decompose" else planner.expand
    try:
        async with asyncio.timeout(request.remaining.seconds * PLANNING_SHARE):
            return await ask(request), {}
    except (ModelError, TimeoutError) as error:
        reason = f"{step}: {str(error) or 'no answer in time'}"
        return Plan(facets=(), usage=usage_of_failure(error)), {"degraded": {step: reason}}


def planned_update(plan: Plan, *, step: str) -> RecallUpdate:
    """The facets and queries of a plan, with ids that the other planning step does not use.

    Queries of a planned facet without a name belong to the question itself.
    """
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    for number, planned in enumerate(plan.facets, start=1):
        facet_id = f"{step[0]}{number}" if planned.name else DIRECT
        if planned.name:
            facets[facet_id] = Facet(
                facet_id=facet_id,
                name=planned.name,
                why=planned.why,
                hop=planned.hop,
                weight=planned.weight,
            )
        for text in planned.queries:
            query_id = f"{step[0]}q{len(queries) + 1}"
            queries[query_id] = Query(
                query_id=query_id,
                facet_id=facet_id,
                text=text,
                hop=planned.hop if planned.name else 1,
                round=0,
                origin=step,
                feedback=[],
            )
    told = f"{counted(len(facets), 'facet')}, {counted(len(queries), 'query')}"
    update: RecallUpdate = {
        "facets": facets,
        "queries": queries,
        "spent": counts_of(plan.usage),
        "note": f"{told}; {plan.note}" if plan.note else told,
    }
    if plan.asked:
        update["by_name"] = by_name(plan.asked)
    return update


def by_name(asked: Sequence[KeptName]) -> ByName:
    """The memories that a plan asks for by name, in the state's form: the first names of each kind.

    The current fact of every name comes before what else is kept under these names.
    """
    facts = first_names(asked, "factual")
    held = [one.memory_ids[0] for one in facts if one.memory_ids]
    others = [memory_id for one in facts for memory_id in one.memory_ids[1:]]
    preferences = [
        memory_id for one in first_names(asked, "preferential") for memory_id in one.memory_ids
    ]
    return ByName(facts=[*held, *others], preferences=preferences)


def first_names(asked: Sequence[KeptName], kind: Kind) -> list[KeptName]:
    """The first `MOST_BY_NAME` different names of a kind."""
    return [one for one in dict.fromkeys(asked) if one.kind == kind][:MOST_BY_NAME]
