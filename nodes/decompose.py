"""Hop 1: the question as queries."""

from datetime import datetime

from secondhop.nodes.budget import half, remaining
from secondhop.nodes.plan_step import degraded_plan, planned_update
from secondhop.nodes.planning.port import PlanRequest
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, Query, RecallState, RecallUpdate


async def decompose(state: RecallState, *, services: Services) -> RecallUpdate:
    """The question itself, and the parts that the planner sees named in it."""
    request = PlanRequest(
        question=state["question"],
        asked_at=datetime.fromisoformat(state["asked_at"]),
        remaining=half(remaining(state, services.settings.limits), larger=False),
    )
    plan, degraded = await degraded_plan(
        services.planner.decompose, services.offline_planner.decompose, request
    )
    update = planned_update(plan, step="decompose")
    update["queries"] = {"q0": direct_query(state["question"]), **update.get("queries", {})}
    if plan.kind is not None:
        update["kind"] = plan.kind
    return update | degraded


def direct_query(question: str) -> Query:
    """The question, asked as it is."""
    return Query(
        query_id="q0",
        facet_id=DIRECT,
        text=question,
        hop=1,
        round=0,
        origin="question",
        feedback=[],
    )
