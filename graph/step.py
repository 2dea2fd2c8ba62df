"""Wraps a node: what it needs is bound, what it did is noted for the trace."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallUpdate, Step


def step(
    node: Callable[..., Awaitable[RecallUpdate]], *, services: Services
) -> Callable[[Any], Awaitable[RecallUpdate]]:
    """The node as LangGraph runs it: one `steps` entry a run, with its time and its note."""
    name = node.__name__

    async def run(state: Any) -> RecallUpdate:
        started, clock = time.time(), time.perf_counter()
        update = await node(state, services=services)
        round_number = update.get("round", state.get("round", 0))
        spent = update.get("spent", {})
        entry = Step(
            node=name,
            round=round_number,
            started_at=started,
            ms=round((time.perf_counter() - clock) * 1000, 2),
            note=update.get("note", ""),
            llm_calls=int(spent.get("llm_calls", 0)),
            prompt_tokens=int(spent.get("prompt_tokens", 0)),
            completion_tokens=int(spent.get("completion_tokens", 0)),
            error="; ".join(update.get("degraded", {}).values()),
        )
        branch = state["query"]["query_id"] if "query" in state else ""
        noted = RecallUpdate(**{key: value for key, value in update.items() if key != "note"})
        noted["steps"] = {f"{round_number}|{name}|{branch}": entry}
        return noted

    run.__name__ = name
    run.__doc__ = node.__doc__
    return run
