"""Runs a recall graph: one event a step, and an answer whatever happens to the time."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig

from secondhop.graph.builder import RecallGraph
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.graph.trace_build import build_trace
from secondhop.nodes.resolve import resolve
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput, RecallState

GRACE_S = 0.1
"""How long after the deadline a node may still come to its end by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallEvent:
    """One step of a recall, as it ends."""

    node: str
    round: int
    ms: float
    note: str
    """What it did, in a few words and numbers."""
    picks: tuple[str, ...]
    """Ids of the best answer so far."""
    result: RecallResult | None = None
    """Only in the last event."""
    trace: RecallTrace | None = None
    """Only in the last event."""


async def run_recall(
    graph: RecallGraph,
    graph_input: RecallInput | None,
    *,
    services: Services,
    thread_id: str | None = None,
) -> AsyncIterator[RecallEvent]:
    """Events of one recall; the last one carries result and trace.

    Past the deadline the step at work is cancelled and the best answer so far is resolved.

    Args:
        graph_input: None resumes what the graph's checkpointer kept under `thread_id`.
    """
    started = time.perf_counter()
    limit = services.settings.limits.deadline_s
    config = RunnableConfig(configurable={"thread_id": thread_id}) if thread_id else None
    state: dict[str, Any] = {}
    stream = graph.astream(graph_input, config, stream_mode=["updates", "values"])
    try:
        async with asyncio.timeout(limit + GRACE_S):
            async for mode, chunk in stream:
                if mode == "values":
                    state = chunk
                    continue
                for event in step_events(chunk, state):
                    yield event
    except TimeoutError:
        state = await best_so_far(state, services=services)
    finally:
        await stream.aclose()
    yield last_event(state, services=services, ms=(time.perf_counter() - started) * 1000)


def step_events(chunk: Mapping[str, Any], state: Mapping[str, Any]) -> list[RecallEvent]:
    """Events of the nodes that came to their end."""
    events: list[RecallEvent] = []
    for update in chunk.values():
        picks = (update or {}).get("picks", state.get("picks", []))
        for step in (update or {}).get("steps", {}).values():
            events.append(
                RecallEvent(
                    node=step["node"],
                    round=step["round"],
                    ms=step["ms"],
                    note=step["note"],
                    picks=tuple(pick["memory_id"] for pick in picks),
                )
            )
    return events


async def best_so_far(state: dict[str, Any], *, services: Services) -> dict[str, Any]:
    """The state with the answer it holds, resolved without waiting for anything."""
    limit = services.settings.limits.deadline_s
    stopped = {
        **state,
        "stop_reason": "deadline",
        "stop_detail": f"{limit:g} s are over; the step at work was cancelled",
    }
    return {**stopped, **await resolve(as_state(stopped), services=services)}


def last_event(state: Mapping[str, Any], *, services: Services, ms: float) -> RecallEvent:
    """The end of a recall."""
    final = as_state(state)
    result = RecallResult.model_validate(final["result"])
    return RecallEvent(
        node="end",
        round=final["round"],
        ms=round(ms, 2),
        note=f"stop: {final['stop_reason']}",
        picks=tuple(result.ids()),
        result=result,
        trace=build_trace(final, services=services, ms=ms),
    )


def as_state(values: Mapping[str, Any]) -> RecallState:
    """The values that a graph streams, under their type."""
    return RecallState(**values)  # type: ignore[typeddict-item]  # a stream's values are Any
