"""Where the recall goes after a node."""

from typing import Literal

from secondhop.nodes.state import RecallState


async def after_pick(state: RecallState) -> Literal["go on", "stop"]:
    """Another round, unless a stopping rule holds."""
    return "stop" if state["stop_reason"] else "go on"


async def after_reconsider(state: RecallState) -> Literal["ask", "stop"]:
    """Ask again, unless there is nothing to ask."""
    return "stop" if state["stop_reason"] else "ask"
