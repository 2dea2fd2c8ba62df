"""What `Recall` and a recall over a host's retriever have in common."""

from abc import abstractmethod
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from secondhop.errors import StoreError
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.state import Effort, RecallInput
from secondhop.running import RecallEvent
from secondhop.stores.where import Where
from secondhop.sync import BackgroundLoop, Closing, blocking
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool

    from secondhop.graph.explanation import Explanation


class Askable(Closing):
    """Answers questions, and explains how it found the answers."""

    def __init__(self, traces: TraceFolder, loop: BackgroundLoop) -> None:
        """`loop` runs the calls of callers without an event loop."""
        self._traces, self._loop = traces, loop

    @abstractmethod
    def _events(self, asked: RecallInput, thread_id: str | None) -> AsyncIterator[RecallEvent]:
        """One recall; the last event carries the result and the trace."""

    @abstractmethod
    async def _explained(
        self, trace: str | Path | RecallTrace | RecallResult, memory_id: str
    ) -> "Explanation": ...

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
        thread_id: str | None = None,
    ) -> RecallResult:
        """The memories that a good answer to `question` needs, best first.

        Args:
            question: as the person asked it.
            k: memories to return; default `RecallLimits.k`.
            tokens: instead of k, fill this many tokens with evidence; give one of them.
            at: "now" for the question; default the clock.
            as_of: answer from what was known then: memories written later are hidden, and memories
                superseded since come back.
            include_stale: superseded, deprecated and expired memories come back, too, marked.
            where: a filter by tags, sources, kinds and dates; only matching memories come back.
            effort: what a language model may be asked: "none": nothing; "low": one vote on what
                the searches found; "high": a plan, and votes until the critic is content. By
                default "none" without a model, "low" where most memories have cues, else "high".
            thread_id: keep checkpoints under this name, with the checkpointer given to `open`;
                an interrupted recall of the same question resumes under it.

        Raises:
            UsageError: a far too long question, k or tokens below 1, or both.
            UnknownEntityError: nothing is stored for the entity.
        """
        result: RecallResult | None = None
        async for event in self.astream(
            question,
            k=k,
            tokens=tokens,
            at=at,
            as_of=as_of,
            include_stale=include_stale,
            where=where,
            effort=effort,
            thread_id=thread_id,
        ):
            result = event.result or result
        if result is None:
            raise StoreError("the recall ended without an answer; please report this")
        return result

    recall = blocking(arecall)

    async def astream(
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
        thread_id: str | None = None,
    ) -> AsyncIterator[RecallEvent]:
        """As `arecall`, one event a step; the last one carries the result and the trace."""
        asked: RecallInput = {
            "question": question,
            "k": k,
            "tokens": tokens,
            "asked_at": at,
            "as_of": as_of,
            "include_stale": include_stale,
            "where": where.values() if isinstance(where, Where) else where,
            "effort": effort,
        }
        async for event in self._events(asked, thread_id):
            yield event

    async def aexplain(
        self, trace: str | Path | RecallTrace | RecallResult, memory_id: str
    ) -> "Explanation":
        """Why a memory came back, or why not, and the smallest change that would admit it.

        Args:
            trace: a result, or a trace, its id, or its file.

        Raises:
            UsageError: no such trace, a trace of another entity, or no such memory.
        """
        return await self._explained(trace, memory_id)

    explain = blocking(aexplain)

    def trace(self, trace_id: str) -> RecallTrace:
        """The trace of a recall; `TraceSettings` says how many are kept, and how long.

        Raises:
            UsageError: no trace with that id is kept.
        """
        return self._traces.load(trace_id)

    def as_retriever(
        self, *, k: int | None = None, tokens: int | None = None, effort: Effort | None = None
    ) -> "BaseRetriever":
        """A langchain-core retriever: one document a memory. The arguments are `recall`'s."""
        from secondhop.langchain_bridge import SecondhopRetriever

        return SecondhopRetriever(recall=self, k=k, tokens=tokens, effort=effort)

    def as_tool(
        self, *, k: int | None = None, tokens: int | None = None, effort: Effort | None = None
    ) -> "BaseTool":
        """A langchain-core tool that an agent may call. The arguments are `recall`'s."""
        from secondhop.langchain_bridge import recall_tool

        return recall_tool(self, k=k, tokens=tokens, effort=effort)

    def close(self) -> None:
        """As `aclose`, for callers without an event loop."""
        self._loop.run(self.aclose)
        self._loop.close()
