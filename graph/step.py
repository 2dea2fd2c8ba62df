"""Wraps a node: what it needs is bound, what it did is noted for the trace."""

import time
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol, TypeVar

from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallUpdate, Step
from secondhop.telemetry import step_span

StateT = TypeVar("StateT", bound=Mapping[str, Any])
StateT_contra = TypeVar("StateT_contra", bound=Mapping[str, Any], contravariant=True)


class Node(Protocol[StateT_contra]):
    """An async function from a state to a partial update, with its services by keyword."""

    __name__: str

    def __call__(self, state: StateT_contra, /, *, services: Services) -> Awaitable[RecallUpdate]:
        """Run the node."""
        ...


class BoundNode(Protocol[StateT_contra]):
    """A node as LangGraph runs it."""

    def __call__(self, state: StateT_contra) -> Awaitable[RecallUpdate]:
        """Run the node."""
        ...


def step(node: Node[StateT], *, services: Services) -> BoundNode[StateT]:
    """The node with its services: one `steps` entry a run, with its time and its note."""
    name = node.__name__

    async def run(state: StateT) -> RecallUpdate:
        started, clock = time.time(), time.perf_counter()
        with step_span(name):
            update = await node(state, services=services)
        ms = (time.perf_counter() - clock) * 1000
        round_number: int = update.get("round", state.get("round", 0))
        entry = noted(name, update, round_number=round_number, started_at=started, ms=ms)
        kept = update.copy()
        kept.pop("note", None)
        kept["steps"] = {f"{round_number}|{name}": entry}
        return kept

    run.__name__ = name
    run.__doc__ = node.__doc__
    return run


def noted(
    node: str, update: RecallUpdate, *, round_number: int, started_at: float, ms: float
) -> Step:
    """What the trace keeps of one run."""
    spent = update.get("spent", {})
    return Step(
        node=node,
        round=round_number,
        started_at=started_at,
        ms=round(ms, 2),
        note=update.get("note", ""),
        llm_calls=int(spent.get("llm_calls", 0)),
        prompt_tokens=int(spent.get("prompt_tokens", 0)),
        completion_tokens=int(spent.get("completion_tokens", 0)),
        cached_tokens=int(spent.get("cached_tokens", 0)),
        error="; ".join(update.get("degraded", {}).values()),
    )
