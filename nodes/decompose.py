"""Hop 1: plans queries for what the question names."""

from datetime import datetime

from secondhop.nodes.budget import half, remaining
from secondhop.nodes.plan_step import plan_or_none, planned_update
from secondhop.nodes.planning.port import PlanRequest
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState, RecallUpdate


async def decompose(state: RecallState, *, services: Services) -> RecallUpdate:
    """Ask the planner for the facets that the question names, and for the kind of question."""
    request = PlanRequest(
        question=state["question"],
        asked_at=datetime.fromisoformat(state["asked_at"]),
        remaining=half(remaining(state, services.settings.limits), larger=False),
    )
    plan, degraded = await plan_or_none("decompose", request, services=services)
    update = planned_update(plan, step="decompose")
    if plan.kind is not None:
        update["kind"] = plan.kind
    return update | degraded
