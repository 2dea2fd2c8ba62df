"""The methods that `Recall` and a recall over a host's retriever share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from secondhop.errors import StoreError
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.effort import named_effort
from secondhop.nodes.recall_input import check_limits
from secondhop.nodes.state import Effort, RecallInput
from secondhop.running import RecallEvents
from secondhop.stores.where import Where
from secondhop.sync import BackgroundLoop, blocking
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool

    from secondhop.graph.explanation import Explanation


class Askable(ABC):
    """Answers questions, and explains how it found the answers. Closes itself as a context manager,
    sync or async."""

    def __init__(
        self,
        traces: TraceFolder,
        loop: BackgroundLoop,
        *,
        run: Callable[[RecallInput, str | None], RecallEvents],
    ) -> None:
        """`loop` runs the sync methods; `run` runs one recall (under a thread id, if given one)."""
        self._traces, self._loop, self._run = traces, loop, run

    @abstractmethod
    async def _explained(
        self, trace: str | Path | RecallTrace | RecallResult, memory_id: str
    ) -> "Explanation": ...

    @abstractmethod
    async def aclose(self) -> None:
        """Close files and connections."""

    async def arecall(
        self,
        question: str,
        *,
        k: int | None = None,
        tokens: int | None = None,
        at: datetime | None = None,
        as_of: datetime | None = None,
        include_stale: bool = False,
        where: Where | None = None,
        effort: Effort | None = None,
        earlier: Sequence[str] = (),
        thread_id: str | None = None,
    ) -> RecallResult:
        """The memories that a good answer to `question` needs, best first.

        Args:
            question: as the person asked it.
            k: how many memories to return; default `RecallLimits.k`.
            tokens: fill this many tokens with evidence, instead of k slots. Give k or tokens.
            at: "now" for the question; default the clock.
            as_of: answer from what was known then: memories written later are hidden, and memories
                superseded since come back.
            include_stale: also return superseded, deprecated and expired memories, marked as such.
            where: a filter by tags, sources, kinds and dates; only matching memories come back.
            effort: how much a language model is asked. "none": nothing. "low": one vote on what
                the searches found. "high": a plan, and votes until the critic is satisfied.
                Default: "none" without a model, "low" if most memories have cues, else "high".
            earlier: what the person asked before in this conversation, oldest first. A follow-up
                such as "And the other one?" is searched together with the last of these that says
                what it is about; a question with a subject of its own is searched alone.
            thread_id: keep checkpoints under this name, with the checkpointer given to `open`.
                Asking the same question under it resumes an interrupted recall.

        Raises:
            UsageError: the question is empty or far too long, k or tokens is below 1, or both are
                given.
            UnknownEntityError: nothing is stored for the entity.
            StoreUnavailableError: the store does not say in time whether there are memories.
        """
        result: RecallResult | None = None
        events = self.astream(
            question,
            k=k,
            tokens=tokens,
            at=at,
            as_of=as_of,
            include_stale=include_stale,
            where=where,
            effort=effort,
            earlier=earlier,
            thread_id=thread_id,
        )
        async with aclosing(events):
            async for event in events:
                result = event.result or result
        if result is None:
            raise StoreError("the recall ended without an answer; please report this")
        return result

    recall = blocking(arecall)

    def astream(
        self,
        question: str,
        *,
        k: int | None = None,
        tokens: int | None = None,
        at: datetime | None = None,
        as_of: datetime | None = None,
        include_stale: bool = False,
        where: Where | None = None,
        effort: Effort | None = None,
        earlier: Sequence[str] = (),
        thread_id: str | None = None,
    ) -> RecallEvents:
        """Like `arecall`, one event per step; the last one carries the result and the trace.

        If you stop listening early, close it (`contextlib.aclosing`): that ends the recall.
        """
        asked: RecallInput = {
            "question": question,
            "k": k,
            "tokens": tokens,
            "asked_at": at,
            "as_of": as_of,
            "include_stale": include_stale,
            "where": where.values() if isinstance(where, Where) else where,
            "effort": effort,
            "earlier": earlier,
        }
        return self._run(asked, thread_id)

    async def aexplain(
        self, trace: str | Path | RecallTrace | RecallResult, memory_id: str
    ) -> "Explanation":
        """Why a memory came back or did not, and the smallest change that would admit it.

        Args:
            trace: a result, a trace, the id of a trace, or its file.

        Raises:
            UsageError: there is no such trace or memory, or the trace is of another entity.
        """
        return await self._explained(trace, memory_id)

    explain = blocking(aexplain)

    def trace(self, trace_id: str) -> RecallTrace:
        """The trace of a recall. `TraceSettings` says how many are kept, and for how long.

        Raises:
            UsageError: no trace with that id is kept.
        """
        return self._traces.load(trace_id)

    def as_retriever(
        self, *, k: int | None = None, tokens: int | None = None, effort: Effort | None = None
    ) -> "BaseRetriever":
        """A langchain-core retriever: one document per memory. Arguments as in `recall`."""
        from secondhop.langchain_bridge import SecondhopRetriever

        check_limits(k=k, tokens=tokens)
        effort = None if effort is None else named_effort(effort)
        return SecondhopRetriever(recall=self, k=k, tokens=tokens, effort=effort)

    def as_tool(
        self, *, k: int | None = None, tokens: int | None = None, effort: Effort | None = None
    ) -> "BaseTool":
        """A langchain-core tool that an agent may call; arguments as in `recall`."""
        from secondhop.langchain_bridge import recall_tool

        check_limits(k=k, tokens=tokens)
        effort = None if effort is None else named_effort(effort)
        return recall_tool(self, self._loop, k=k, tokens=tokens, effort=effort)

    def close(self) -> None:
        """As `aclose`, for callers without an event loop."""
        try:
            self._loop.run(self.aclose)
        finally:
            self._loop.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
