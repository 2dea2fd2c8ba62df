"""The part of `Recall` that is asked, and answers."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from secondhop.blocking import blocking
from secondhop.errors import (
    ModelError,
    ModelUnavailableError,
    StoreError,
    UnknownEntityError,
)
from secondhop.given_values import check_counts, check_moments, check_text
from secondhop.graph.compiled import CompiledGraphs
from secondhop.graph.result import RecallResult
from secondhop.graph.trace_draft import TraceDraft
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.running import RecallEvent, run_recall
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.store_directory import StoreDirectory
from secondhop.sync_door import SyncDoor
from secondhop.threads import own_thread, resumed
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langgraph.types import Command

logger = logging.getLogger(__name__)


class AnswersQuestions:
    """Methods of `Recall`: a question in, the memories that answer it out."""

    _door: SyncDoor
    _home: StoreDirectory
    _store: EntityStore
    _services: Services
    _graphs: CompiledGraphs
    _traces: TraceFolder
    _has_memories: bool
    """False also as long as nobody has looked."""

    async def arecall(
        self,
        question: str,
        *,
        k: int | None = None,
        tokens: int | None = None,
        at: datetime | None = None,
        as_of: datetime | None = None,
        include_stale: bool = False,
        thread_id: str | None = None,
    ) -> RecallResult:
        """The memories that a good answer to `question` needs, best first.

        Args:
            question: as the person asked it.
            k: memories to return; default `RecallLimits.k`.
            tokens: instead of k, fill this many tokens with evidence.
            at: "now" for the question; default the clock.
            as_of: what was believed then: what was written later is hidden, and what was
                superseded since comes back.
            include_stale: what was superseded, deprecated or has expired comes back, too, marked.
            thread_id: keep checkpoints under this name, with the checkpointer given to `open`;
                the same question, interrupted under it, goes on where it stopped.

        Raises:
            UsageError: an empty or far too long question, k or tokens below 1.
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
            thread_id=thread_id,
        ):
            result = event.result or result
        if result is None:
            raise StoreError("the recall ended without an answer; please report this")
        return result

    async def astream(
        self,
        question: str,
        *,
        k: int | None = None,
        tokens: int | None = None,
        at: datetime | None = None,
        as_of: datetime | None = None,
        include_stale: bool = False,
        thread_id: str | None = None,
    ) -> AsyncIterator[RecallEvent]:
        """As `arecall`, one event a step; the last one carries the result and the trace."""
        check_text(question, name="the question")
        check_counts(k=k, tokens=tokens)
        check_moments(at=at, as_of=as_of)
        await self._ready()
        moments = [
            m.replace(tzinfo=m.tzinfo or UTC).isoformat() if m else None for m in (at, as_of)
        ]
        asked: RecallInput | Command[Any] = {
            "question": question,
            "k": k,
            "tokens": tokens,
            "asked_at": moments[0],
            "as_of": moments[1],
            "include_stale": include_stale,
        }
        if thread_id is not None:
            sight = (moments[1], include_stale) if as_of or include_stale else ()
            thread_id = own_thread(thread_id, self._services.entity, question, k, tokens, *sight)
            limit = self._services.settings.limits.deadline_s
            asked = await resumed(self._graphs.kept, thread_id, deadline_s=limit) or asked
        graph = self._graphs.unkept if thread_id is None else self._graphs.kept
        async for event in run_recall(graph, asked, services=self._services, thread_id=thread_id):
            if event.draft is not None:
                await self._keep(event.draft)
            yield event

    recall = blocking(arecall)

    async def awarm(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Load the embedding model and embed the playbooks, instead of at the first question.

        Takes some seconds once a machine (the playbooks' vectors are cached for the user), then
        a fraction of one. Does not count against a recall's deadline.

        Args:
            progress: hears (done, total).
        """
        await self._services.playbooks.warm(progress)

    # --- inside ---

    async def _ready(self) -> None:
        await self._expect_memories()
        await self._try_to_warm()

    async def _try_to_warm(self) -> None:
        """A model that fails now may work in a moment; the recall says so if it does not."""
        try:
            await self.awarm()
        except ModelUnavailableError:
            raise
        except ModelError as error:
            logger.warning("the playbooks could not be embedded: %s", error)

    async def _expect_memories(self) -> None:
        if not self._has_memories:
            self._has_memories = (await self._store.counts()).memories > 0
        if not self._has_memories:
            raise UnknownEntityError(self._services.entity, store=str(self._home.path))

    async def _keep(self, draft: TraceDraft) -> None:
        """A recall answers also where its trace cannot be written."""
        try:
            await asyncio.to_thread(self._traces.save, draft)
        except OSError as error:
            logger.warning("the trace of this recall could not be kept: %s", error)
