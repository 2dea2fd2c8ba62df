"""Runs a recall graph: one event a step, and an answer whatever happens to the time."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.graph.trace_draft import TraceDraft
from secondhop.nodes.begin import begin
from secondhop.nodes.pick import pick
from secondhop.nodes.resolve import resolve
from secondhop.nodes.services import Services
from secondhop.nodes.state import Pick, Query, RecallInput, RecallState, RecallUpdate, taken_in
from secondhop.telemetry import recall_span

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.types import Command, StreamMode

    from secondhop.graph.builder import RecallGraph

GRACE_S = 0.05
"""How long after the deadline a node may still come to its end by itself."""

READING_S = 0.5
"""How long a store may take after that to give the texts of the answer; it takes milliseconds."""


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
    hops: tuple[int, ...] = ()
    """What it planned or searched for, in order: 1 what the question names, 2 what it implies, 3
    and up what evidence led to. () for a step about all that was found."""
    result: RecallResult | None = None
    """Only in the last event."""
    draft: TraceDraft | None = None
    """The trace as plain values, only in the last event."""

    @property
    def trace(self) -> RecallTrace | None:
        """Only in the last event; built when it is first asked for."""
        return self.draft.trace if self.draft is not None else None


async def run_recall(
    graph: "RecallGraph",
    graph_input: "RecallInput | Command[Any]",
    *,
    services: Services,
    thread_id: str | None = None,
) -> AsyncIterator[RecallEvent]:
    """Events of one recall; the last one carries result and trace.

    The graph runs in a task of its own, so that a slow listener neither delays it nor is cut
    short by its deadline. A caller that stops listening cancels it.

    Args:
        graph_input: a Command resumes what the graph's checkpointer kept under `thread_id`.
    """
    events: asyncio.Queue[RecallEvent | None] = asyncio.Queue()
    config: RunnableConfig | None = (
        {"configurable": {"thread_id": thread_id}} if thread_id else None
    )
    steps = streamed(graph, graph_input, config)
    driving = drive(steps, events, graph_input, services=services)
    run = asyncio.ensure_future(in_a_span(driving))
    run.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield await run
    finally:
        run.cancel()
        with suppress(asyncio.CancelledError):
            await run


async def in_a_span(driving: Awaitable[RecallEvent]) -> RecallEvent:
    """The last event of a recall, which stands in a span of its own."""
    with recall_span("recall") as span:
        event = await driving
        if event.result is not None:
            span.answered(event.result)
    return event


async def drive(
    steps: AsyncIterator[tuple[str, dict[str, Any]]],
    events: asyncio.Queue[RecallEvent | None],
    graph_input: "RecallInput | Command[Any]",
    *,
    services: Services,
) -> RecallEvent:
    """Run to the end and return the last event.

    Past the deadline the step at work is cancelled and the best answer so far is resolved.
    """
    from langgraph.types import Command

    started = time.perf_counter()
    state: dict[str, Any] = {}
    deadline = asyncio.timeout(services.settings.limits.deadline_s + GRACE_S)
    try:
        async with deadline:
            async for mode, chunk in steps:
                if mode == "values":
                    state = chunk
                    continue
                for event in step_events(chunk, state):
                    events.put_nowait(event)
    except TimeoutError:
        if not deadline.expired():  # some other wait of ours or of a store
            raise
        if "trace_id" not in state and not isinstance(graph_input, Command):
            # a busy machine has not come to the end of the first step
            state = {"queries": {}, "rankings": {}, **await begin(graph_input, services=services)}
        state = await best_so_far(state, services=services)
    finally:
        let_go(state, services=services)
    return last_event(state, services=services, ms=(time.perf_counter() - started) * 1000)


def let_go(state: Mapping[str, Any], *, services: Services) -> None:
    """Keep nothing of a recall, however it ended: also not of one that was abandoned."""
    services.hidden.forget(state.get("trace_id", ""))


async def streamed(
    graph: "RecallGraph",
    graph_input: "RecallInput | Command[Any]",
    config: "RunnableConfig | None",
) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """("updates", {node: update}) as a step ends, and ("values", state) between supersteps."""
    modes: list[StreamMode] = ["updates", "values"]
    async for part in graph.astream(graph_input, config, stream_mode=modes):
        mode, chunk = cast(tuple[str, dict[str, Any]], part)
        yield mode, chunk


def step_events(chunk: Mapping[str, RecallUpdate], state: Mapping[str, Any]) -> list[RecallEvent]:
    """Events of the nodes that came to their end."""
    events: list[RecallEvent] = []
    for update in chunk.values():
        picks: list[Pick] = update.get("picks", state.get("picks", []))
        for step in update.get("steps", {}).values():
            events.append(
                RecallEvent(
                    node=step["node"],
                    round=step["round"],
                    ms=step["ms"],
                    note=step["note"],
                    picks=tuple(pick["memory_id"] for pick in picks),
                    hops=hops_of(update, state),
                )
            )
    return events


def hops_of(update: RecallUpdate, state: Mapping[str, Any]) -> tuple[int, ...]:
    """Hops of the queries that a step wrote, chose or searched for."""
    known: Mapping[str, Query] = state.get("queries", {})
    written = update.get("queries", {})
    searched = [known[query_id] for query_id in update.get("rankings", {}) if query_id in known]
    return tuple(sorted({query["hop"] for query in (*written.values(), *searched)}))


async def best_so_far(state: dict[str, Any], *, services: Services) -> dict[str, Any]:
    """The state with the answer it holds, or that what was found allows; with none when a store
    does not even give its texts, or tell what may be shown: it is not asked again."""
    reading = asyncio.timeout(READING_S)
    try:
        async with reading:
            if state.get("candidates") and not state.get("picks"):
                state = taken_in(state, await pick(as_state(state), services=services))
            return await cut_short(state, services=services)
    except TimeoutError:
        if not reading.expired():  # some other wait of a store
            raise
    nothing: dict[str, Any] = {"candidates": {}, "picks": [], "drops": {}, "rankings": {}}
    silent = replace(services, keeping=None)
    return await cut_short({**state, **nothing}, services=silent)


async def cut_short(state: dict[str, Any], *, services: Services) -> dict[str, Any]:
    """The state with its result, which says that the time was over."""
    detail = f"{services.settings.limits.deadline_s:g} s are over; {cost_of_time(state)}"
    stopped = {
        **state,
        "stop_reason": "deadline",
        "stop_detail": detail,
        "degraded": {**state.get("degraded", {}), "deadline": f"deadline: {detail}"},
    }
    return taken_in(stopped, await resolve(as_state(stopped), services=services))


def cost_of_time(state: Mapping[str, Any]) -> str:
    """What a recall that was cancelled has not done."""
    if not state.get("round"):
        return "the step at work was cancelled, and nothing was searched"
    if not state.get("picks"):
        return f"the step at work was cancelled in round {state['round']}, before any answer"
    return f"the step at work was cancelled in round {state['round']}"


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
        draft=TraceDraft(state=final, services=services, ms=ms),
    )


def as_state(values: Mapping[str, Any]) -> RecallState:
    """The values that a graph streams, under their type."""
    return cast(RecallState, dict(values))
