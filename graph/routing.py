"""Where the recall goes after a node."""

from typing import Literal

from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState


async def after_begin(
    state: RecallState, *, services: Services
) -> list[Literal["decompose", "expand"]] | Literal["dispatch"]:
    """A plan first, where there is a planner."""
    return "dispatch" if services.planner is None else ["decompose", "expand"]


async def after_fuse(
    state: RecallState, *, services: Services
) -> Literal["rerank", "judge", "no critic"]:
    """The reranker, where there is one."""
    return await after_rerank(state, services=services) if services.reranker is None else "rerank"


async def after_rerank(state: RecallState, *, services: Services) -> Literal["judge", "no critic"]:
    """A vote, where there is a critic."""
    return "no critic" if services.critic is None else "judge"


async def after_pick(state: RecallState) -> Literal["go on", "stop"]:
    """Another round, unless a stopping rule holds."""
    return "stop" if state["stop_reason"] else "go on"


async def after_reconsider(state: RecallState) -> Literal["dispatch", "stop"]:
    """Search again, unless there is nothing to search for."""
    return "stop" if state["stop_reason"] else "dispatch"
