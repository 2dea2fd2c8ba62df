"""Where the recall goes after a node."""

from typing import Literal

from secondhop.nodes.effort import MOSTLY, plans, votes
from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState, is_unplanned


async def after_begin(
    state: RecallState, *, services: Services
) -> list[Literal["decompose", "expand"]] | Literal["dispatch"]:
    """A plan first, where one is to be made."""
    return ["decompose", "expand"] if plans(state, services) else "dispatch"


async def after_dispatch(state: RecallState) -> list[Literal["retrieve", "suggest", "fuse"]]:
    """Search for what is asked; without a plan and without cues the playbooks say, too, what is
    needed."""
    number = state["round"]
    if not any(query["round"] == number for query in state["queries"].values()):
        return ["fuse"]
    helps = is_unplanned(state) and state["kind"] not in LOOKUPS
    wanted = number == 1 and helps and state.get("annotated", 0.0) < MOSTLY
    return ["retrieve", "suggest"] if wanted else ["retrieve"]


async def after_fuse(
    state: RecallState, *, services: Services
) -> Literal["rerank", "judge", "no critic"]:
    """The reranker, where there is one."""
    return await after_rerank(state, services=services) if services.reranker is None else "rerank"


async def after_rerank(state: RecallState, *, services: Services) -> Literal["judge", "no critic"]:
    """A vote, where the critic is to be asked."""
    return "judge" if votes(state, services) else "no critic"


async def after_pick(state: RecallState) -> Literal["go on", "stop"]:
    """Another round, unless a stopping rule holds."""
    return "stop" if state["stop_reason"] else "go on"


async def after_reconsider(state: RecallState) -> Literal["dispatch", "stop"]:
    """Search again, unless there is nothing to search for."""
    return "stop" if state["stop_reason"] else "dispatch"
