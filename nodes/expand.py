"""Hop 2: plans queries for what the question's intent implies."""

from datetime import datetime

from secondhop.nodes.budget import half, remaining
from secondhop.nodes.plan_step import plan_or_none, planned_update
from secondhop.nodes.planning.fact_index import kept_names
from secondhop.nodes.planning.port import PlanRequest
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState, RecallUpdate


async def expand(state: RecallState, *, services: Services) -> RecallUpdate:
    """Ask the planner for the facets that the intent implies.

    It sees the memory map, and the names of facts and preferences, so that it asks for what exists.
    """
    kept, untold = await kept_names(state, services=services)
    topics = await services.reader.topics()
    left = remaining(state, services.settings.limits)  # after the reads, which took time
    request = PlanRequest(
        question=state["question"],
        asked_at=datetime.fromisoformat(state["asked_at"]),
        topics=topics,
        kept=kept,
        remaining=half(left, larger=True),
        recall=left,
    )
    plan, degraded = await plan_or_none("expand", request, services=services)
    update = planned_update(plan, step="expand")
    failed = [*degraded.get("degraded", {}).values(), f"expand: {untold}" if untold else ""]
    if any(failed):
        update["degraded"] = {"expand": "; ".join(filter(None, failed))}
    return update
