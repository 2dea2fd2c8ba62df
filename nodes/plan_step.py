"""What decompose and expand share: the fallback, and the way of a plan into the state."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from secondhop.errors import ModelError
from secondhop.nodes.budget import counts_of, usage_of_failure
from secondhop.nodes.planning.port import KeptName, Plan, PlannedFacet, PlanRequest
from secondhop.nodes.state import DIRECT, ByName, Facet, Query, RecallUpdate
from secondhop.stores.keeping import Kind

PLANNING_SHARE = 0.5
"""Of the time left, what planning may take: without time to search a plan is worth nothing."""

MOST_BY_NAME = 3
"""Facts, and preferences, that a plan may ask for by name."""


async def degraded_plan(
    ask: Callable[[PlanRequest], Awaitable[Plan]],
    ask_offline: Callable[[PlanRequest], Awaitable[Plan]],
    request: PlanRequest,
) -> tuple[Plan, RecallUpdate]:
    """The planner's plan; when its model fails, is late or is too dear, the twin's, and a note."""
    name = ask.__name__
    if ask != ask_offline and not request.remaining.affords_model:
        return await planned_offline(ask_offline, request, f"{name}: no model call is left")
    try:
        async with asyncio.timeout(request.remaining.seconds * PLANNING_SHARE):
            return await ask(request), {}
    except (ModelError, TimeoutError) as error:
        if ask == ask_offline and isinstance(error, TimeoutError):  # again it would take as long
            reason = f"{name}: half of the deadline was too short for it; it was left out"
            return Plan(facets=()), {"degraded": {name: reason}}
        reason = f"{name}: {str(error) or 'no answer in time'}"
        plan, degraded = await planned_offline(ask_offline, request, reason)
        return replace(plan, usage=plan.usage + usage_of_failure(error)), degraded


async def planned_offline(
    ask_offline: Callable[[PlanRequest], Awaitable[Plan]], request: PlanRequest, reason: str
) -> tuple[Plan, RecallUpdate]:
    """The twin's plan; without an embedding model it has none, and the question goes alone."""
    name = ask_offline.__name__
    try:
        plan = await ask_offline(request)
    except ModelError as error:
        return Plan(facets=()), {"degraded": {name: f"{reason}; no plan offline either: {error}"}}
    return plan, {"degraded": {name: f"{reason}; planned offline instead"}}


def planned_update(plan: Plan, *, step: str) -> RecallUpdate:
    """Facets and queries of a plan under ids that the other planning step cannot use.

    A planned facet without a name belongs to the question itself.
    """
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    for number, planned in enumerate(plan.facets, start=1):
        facet_id = f"{step[0]}{number}" if planned.name else DIRECT
        if planned.name:
            facets[facet_id] = as_facet(planned, facet_id)
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
    update: RecallUpdate = {
        "facets": facets,
        "queries": queries,
        "spent": counts_of(plan.usage),
        "note": "; ".join(
            filter(None, [f"{len(facets)} facets, {len(queries)} queries", plan.note])
        ),
    }
    if plan.asked:
        update["by_name"] = by_name(plan.asked)
    return update


def by_name(asked: Sequence[KeptName]) -> ByName:
    """The state's form of what a plan asks for by name: the first few names of each kind.

    Of every fact what holds comes before what else is kept under its name.
    """
    facts = first_names(asked, "factual")
    held = [one.memory_ids[0] for one in facts if one.memory_ids]
    others = [memory_id for one in facts for memory_id in one.memory_ids[1:]]
    preferences = [
        memory_id for one in first_names(asked, "preferential") for memory_id in one.memory_ids
    ]
    return ByName(facts=[*held, *others], preferences=preferences)


def first_names(asked: Sequence[KeptName], kind: Kind) -> list[KeptName]:
    """Those of a kind that a plan may ask for."""
    return [one for one in dict.fromkeys(asked) if one.kind == kind][:MOST_BY_NAME]


def as_facet(planned: PlannedFacet, facet_id: str) -> Facet:
    """The state's form of a planned facet."""
    return Facet(
        facet_id=facet_id,
        name=planned.name,
        why=planned.why,
        hop=planned.hop,
        weight=planned.weight,
    )
