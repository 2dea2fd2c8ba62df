"""Runs recalls: one event per step, and an answer even when the time is up."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar, cast

from secondhop.errors import (
    ModelError,
    ModelUnavailableError,
    StoreUnavailableError,
    UnknownEntityError,
)
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.graph.trace_build import TraceDraft
from secondhop.nodes.begin import begin
from secondhop.nodes.budget import in_time
from secondhop.nodes.pick import pick
from secondhop.nodes.reducers import taken_in
from secondhop.nodes.resolve import resolve
from secondhop.nodes.services import Services
from secondhop.nodes.state import Pick, Query, RecallInput, RecallState, RecallUpdate
from secondhop.stores.entity_store import EntityStore
from secondhop.telemetry import RECALLS, span_of
from secondhop.threads import own_thread, resumed
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import Command, StreamMode

    from secondhop.graph.builder import RecallGraph

logger = logging.getLogger(__name__)

T = TypeVar("T")

GRACE_S = 0.05
"""How long after the deadline a node may still finish by itself."""

READING_S = 0.5
"""How long a store may then take to read the texts of the answer; usually a few milliseconds."""


class SilentStore:
    """Stands for a store that did not answer in time: it knows no passage and no vector."""

    async def known(self, _: Sequence[str]) -> dict[str, Any]:
        """Nothing."""
        return {}

    passages = passage_ids = vectors = known


def silent(services: Services) -> Services:
    """The services to answer with when the store may not be asked again."""
    nothing: Any = SilentStore()
    return replace(services, search=nothing, reader=nothing, keeping=None, cues=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallEvent:
    """One finished step of a recall."""

    node: str
    round: int
    ms: float
    note: str
    """What the step did, in a few words and numbers."""
    picks: tuple[str, ...]
    """Ids of the best answer so far."""
    hops: tuple[int, ...] = ()
    """The hops of the queries that the step planned or searched, sorted: 1 for what the question
    names, 2 for what it implies, 3 and up for what evidence led to. () for a step without queries.
    """
    result: RecallResult | None = None
    """Only in the last event."""
    draft: TraceDraft | None = None
    """What the trace is built from; only in the last event."""

    @property
    def trace(self) -> RecallTrace | None:
        """The trace; only in the last event, and built at first use."""
        return self.draft.trace if self.draft is not None else None


RecallEvents: TypeAlias = AsyncGenerator[RecallEvent, None]
"""Of one recall. Closing it ends the recall."""


class Answering:
    """Answers questions from the memories of one entity: warms the models, runs the graph, keeps
    the trace.

    Graphs are built at first use. LangGraph takes half a second to import, and many commands (what
    is stored, what sessions taught) ask no question.
    """

    def __init__(
        self,
        store: EntityStore,
        services: Services,
        *,
        checkpointer: "BaseCheckpointSaver[str] | None",
        traces: TraceFolder,
        name: str,
    ) -> None:
        """`name` is the store's name in error messages."""
        self._store, self._services, self._checkpointer = store, services, checkpointer
        self._traces, self._name = traces, name
        self._is_warm = False

    @cached_property
    def graph(self) -> "RecallGraph":
        """The graph that writes checkpoints, if there is a checkpointer."""
        from secondhop.graph.builder import build_recall_graph

        return build_recall_graph(self._services, self._checkpointer)

    @cached_property
    def _unkept(self) -> "RecallGraph":
        """The graph that writes no checkpoints."""
        from secondhop.graph.builder import build_recall_graph

        return self.graph if self._checkpointer is None else build_recall_graph(self._services)

    async def stream(self, asked: RecallInput, thread_id: str | None) -> RecallEvents:
        """See `Recall.astream`."""
        await self.ready()
        graph = self._unkept
        graph_input: RecallInput | Command[Any] = asked
        if thread_id is not None:
            graph = self.graph
            thread_id = own_thread(thread_id, self._services.entity, asked)
            limit = self._services.settings.limits.deadline_s
            graph_input = await resumed(graph, thread_id, deadline_s=limit) or asked
        running = run_recall(graph, graph_input, services=self._services, thread_id=thread_id)
        async with aclosing(running):
            async for event in running:
                busy = self._traces.keep(event.draft) if event.draft is not None else None
                if busy is not None:
                    await asyncio.shield(asyncio.wrap_future(busy))
                yield event

    async def ready(self) -> None:
        """Check that there are memories, and warm the models.

        If the model fails to embed the playbooks, this only logs a warning, because the model may
        work again in a moment; if not, the recall says so.

        Raises:
            UnknownEntityError: nothing is stored for the entity.
            ModelUnavailableError: the embedding model is not installed.
            StoreUnavailableError: the store does not say in time whether there are memories.
        """
        look, limit_s = self._store.is_empty(), self._services.settings.limits.deadline_s
        if await read_in_time(look, what="the number of memories", deadline_s=limit_s):
            raise UnknownEntityError(self._services.entity, store=self._name)
        if self._is_warm:
            return
        # while LangGraph is imported, the model loads in a thread of its own
        importing = asyncio.to_thread(import_module, "secondhop.graph.builder")
        await asyncio.gather(self._warm(), importing)

    async def _warm(self) -> None:
        """Load what recalls embed with. Raises ModelUnavailableError if it is not installed."""
        try:
            await self._services.playbooks.warm()
        except ModelUnavailableError:
            raise
        except ModelError as error:
            logger.warning("the playbooks could not be embedded: %s", error)
        else:
            self._is_warm = True


async def run_recall(
    graph: "RecallGraph",
    graph_input: "RecallInput | Command[Any]",
    *,
    services: Services,
    thread_id: str | None = None,
) -> RecallEvents:
    """Yield the events of one recall; the last one carries result and trace.

    The graph runs in a task of its own. So a slow listener does not delay the graph, and the
    deadline does not cut the listener short. If the caller stops listening, the task is cancelled.

    Args:
        graph_input: the question and its options, or a Command that resumes what the graph's
            checkpointer kept under `thread_id`.
    """
    events: asyncio.Queue[RecallEvent | None] = asyncio.Queue()
    config: RunnableConfig | None = (
        {"configurable": {"thread_id": thread_id}} if thread_id else None
    )
    modes: list[StreamMode] = ["updates", "values"]
    steps = graph.astream(graph_input, config, stream_mode=modes)
    run = asyncio.ensure_future(drive(steps, events, graph_input, services=services))
    run.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield await run
    finally:
        run.cancel()
        with suppress(asyncio.CancelledError):
            await run


async def drive(
    steps: AsyncIterator[Any],
    events: asyncio.Queue[RecallEvent | None],
    graph_input: "RecallInput | Command[Any]",
    *,
    services: Services,
) -> RecallEvent:
    """Run the graph to its end and return the last event; past the deadline, the best answer so far
    is resolved."""
    from langgraph.types import Command

    started = time.perf_counter()
    state: dict[str, Any] = {}
    limit = services.settings.limits.deadline_s
    with span_of("recall", "RETRIEVER", metric=RECALLS) as span:
        try:
            if not await ended_in_time(steps, state, limit_s=limit, tell=events.put_nowait):
                if "trace_id" not in state and not isinstance(graph_input, Command):
                    # on a busy machine, the deadline passed during the first step
                    begun = await begin(graph_input, services=silent(services))
                    state = {"queries": {}, "rankings": {}, **begun}
                state = await best_so_far(state, services=services)
        finally:  # however the recall ended, even if the caller abandoned it
            services.hidden.forget(state.get("trace_id", ""))
        result = RecallResult.model_validate(state["result"])
        span.answered(result)
    ms = (time.perf_counter() - started) * 1000
    return RecallEvent(
        node="end",
        round=state["round"],
        ms=round(ms, 2),
        note=f"stop: {state['stop_reason']}",
        picks=tuple(memory.id for memory in result.memories),
        result=result,
        draft=TraceDraft(state=cast(RecallState, state), services=services, ms=ms),
    )


async def ended_in_time(
    steps: AsyncIterator[Any],
    state: dict[str, Any],
    *,
    limit_s: float,
    tell: Callable[[RecallEvent], None],
) -> bool:
    """Run a graph, and say whether it came to its end. Past the limit, the running step is
    cancelled.

    Args:
        steps: ("updates", {node: update}) as a step ends, ("values", state) between supersteps.
        state: is kept up to date.
        tell: called with every step that ended.
    """
    deadline = asyncio.timeout(limit_s + GRACE_S)
    try:
        async with deadline:
            async for mode, chunk in steps:
                if mode == "values":
                    state.update(chunk)
                    continue
                for event in step_events(chunk, state):
                    tell(event)
    except TimeoutError:
        if not deadline.expired():  # the timeout is another one, ours or a store's
            raise
        return False
    return True


async def read_in_time(work: Awaitable[T], *, what: str, deadline_s: float) -> T:
    """What a store gives, without which there is no answer.

    Raises:
        StoreUnavailableError: it took longer than the deadline and READING_S.
    """
    late = (
        f"the store did not give {what} within the limit of {deadline_s:g} s; nothing was changed: "
        f"try again"
    )
    return await in_store_time(work, deadline_s=deadline_s, late=late)


async def written_in_time(work: Awaitable[T], *, what: str, deadline_s: float) -> T:
    """What a store says to a write.

    Raises:
        StoreUnavailableError: it took longer than the deadline and READING_S.
    """
    late = (
        f"the store did not confirm within the limit of {deadline_s:g} s that it wrote {what}, "
        f"which may still be done: look at it before you try again"
    )
    return await in_store_time(work, deadline_s=deadline_s, late=late)


async def in_store_time(work: Awaitable[T], *, deadline_s: float, late: str) -> T:
    """What a store gives. Raises StoreUnavailableError, which says `late`, if it takes longer than
    the deadline and READING_S."""

    async def refuse() -> NoReturn:
        raise StoreUnavailableError(late)

    return await in_time(work, limit_s=deadline_s + READING_S, otherwise=refuse)


def step_events(chunk: Mapping[str, RecallUpdate], state: Mapping[str, Any]) -> list[RecallEvent]:
    """One event for each node that has just ended."""
    known: Mapping[str, Query] = state.get("queries", {})
    events: list[RecallEvent] = []
    for update in chunk.values():
        picks: list[Pick] = update.get("picks", state.get("picks", []))
        searched = [known[one] for one in update.get("rankings", {}) if one in known]
        queries = (*update.get("queries", {}).values(), *searched)
        for step in update.get("steps", {}).values():
            events.append(
                RecallEvent(
                    node=step["node"],
                    round=step["round"],
                    ms=step["ms"],
                    note=step["note"],
                    picks=tuple(pick["memory_id"] for pick in picks),
                    hops=tuple(sorted({query["hop"] for query in queries})),
                )
            )
    return events


async def best_so_far(state: dict[str, Any], *, services: Services) -> dict[str, Any]:
    """The state with the best answer so far, picked from the candidates if no pick was made yet.
    Before `fuse` there are no candidates.

    If the store cannot give the texts within READING_S, the answer is empty and the store is not
    asked again.
    """
    state = {"candidates": {}, **state}
    nothing: dict[str, Any] = {"candidates": {}, "picks": [], "drops": {}, "rankings": {}}
    return await in_time(
        picked_so_far(state, services=services),
        limit_s=READING_S,
        otherwise=lambda: cut_short({**state, **nothing}, services=silent(services)),
    )


async def picked_so_far(state: dict[str, Any], *, services: Services) -> dict[str, Any]:
    """The state with the best answer so far, with its texts."""
    if state.get("candidates") and not state.get("picks"):
        state = taken_in(state, await pick(cast(RecallState, state), services=services))
    return await cut_short(state, services=services)


async def cut_short(state: dict[str, Any], *, services: Services) -> dict[str, Any]:
    """The state with a result whose stop reason is the deadline."""
    detail = (
        f"the limit of {services.settings.limits.deadline_s:g} s was reached; {cost_of_time(state)}"
    )
    stopped = {
        **state,
        "stop_reason": "deadline",
        "stop_detail": detail,
        "degraded": {**state.get("degraded", {}), "deadline": f"deadline: {detail}"},
    }
    return taken_in(stopped, await resolve(cast(RecallState, stopped), services=services))


def cost_of_time(state: Mapping[str, Any]) -> str:
    """Which part of a cancelled recall was not done."""
    if not state.get("round"):
        return "the running step was cancelled, and nothing was searched"
    if not state.get("picks"):
        return f"the running step was cancelled in round {state['round']}, before any answer"
    return f"the running step was cancelled in round {state['round']}"
