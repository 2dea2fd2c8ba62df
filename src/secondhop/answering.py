"""Runs recalls over one entity: models ready, graph streamed, trace kept."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from secondhop.errors import ModelError, ModelUnavailableError, UnknownEntityError
from secondhop.given_values import check_amount, check_moments, check_text
from secondhop.graph.compiled import CompiledGraphs
from secondhop.nodes.services import Services
from secondhop.nodes.state import Effort, RecallInput
from secondhop.running import RecallEvent, run_recall
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.where import Where
from secondhop.threads import own_thread, resumed
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langgraph.types import Command

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and how it is to be answered: the arguments of `Recall.arecall`.

    Raises:
        UsageError: an argument of another type, or one that cannot be.
    """

    text: str
    k: int | None = None
    tokens: int | None = None
    at: datetime | None = None
    as_of: datetime | None = None
    include_stale: bool = False
    where: Where | None = None
    effort: Effort | None = None

    def __post_init__(self) -> None:
        check_text(self.text, name="the question")
        check_amount(k=self.k, tokens=self.tokens)
        check_moments(at=self.at, as_of=self.as_of)
        object.__setattr__(self, "where", Where.of(self.where))

    def graph_input(self) -> RecallInput:
        """As the graph takes it; moments without a zone are in UTC."""
        return {
            "question": self.text,
            "k": self.k,
            "tokens": self.tokens,
            "asked_at": utc_text(self.at),
            "as_of": utc_text(self.as_of),
            "include_stale": self.include_stale,
            "where": self.where.values() if self.where else None,
            "effort": self.effort,
        }

    def thread(self, thread_id: str, *, entity: str) -> str:
        """The caller's thread id, made the own one of this entity and question."""
        special = bool(self.as_of or self.include_stale)
        sight = (utc_text(self.as_of), self.include_stale) if special else ()
        effort = (self.effort,) if self.effort else ()
        where = (repr(self.where.values()),) if self.where else ()
        more = (*sight, *effort, *where)
        return own_thread(thread_id, entity, self.text, self.k, self.tokens, *more)


class Answering:
    """Answers questions from the memories of one entity."""

    def __init__(
        self,
        store: EntityStore,
        services: Services,
        graphs: CompiledGraphs,
        *,
        traces: TraceFolder,
        name: str,
    ) -> None:
        """`name`: of the store, for errors."""
        self._store, self._services, self._graphs = store, services, graphs
        self._traces, self._name = traces, name
        self._has_memories = False
        """False also before the first search."""

    async def stream(self, question: Question, thread_id: str | None) -> AsyncIterator[RecallEvent]:
        """See `Recall.astream`."""
        await self.ready()
        asked: RecallInput | Command[Any] = question.graph_input()
        graph = self._graphs.unkept
        if thread_id is not None:
            graph = self._graphs.kept
            thread_id = question.thread(thread_id, entity=self._services.entity)
            limit = self._services.settings.limits.deadline_s
            asked = await resumed(graph, thread_id, deadline_s=limit) or asked
        async for event in run_recall(graph, asked, services=self._services, thread_id=thread_id):
            busy = self._traces.keep(event.draft) if event.draft is not None else None
            if busy is not None:
                await asyncio.shield(asyncio.wrap_future(busy))
            yield event

    async def ready(self) -> None:
        """Expect memories, and warm the models.

        A model that fails now may work in a moment; the recall says so if it does not.

        Raises:
            UnknownEntityError: nothing is stored for the entity.
            ModelUnavailableError: the embedding model is not there.
        """
        await self._expect_memories()
        try:
            await self.warm()
        except ModelUnavailableError:
            raise
        except ModelError as error:
            logger.warning("the playbooks could not be embedded: %s", error)

    async def warm(self, progress: Callable[[int, int], None] | None = None) -> None:
        """See `Recall.awarm`."""
        await self._services.playbooks.warm(progress)

    async def _expect_memories(self) -> None:
        if not self._has_memories:
            self._has_memories = (await self._store.counts()).memories > 0
        if not self._has_memories:
            raise UnknownEntityError(self._services.entity, store=self._name)


def utc_text(moment: datetime | None) -> str | None:
    """A moment as the graph's state holds it."""
    return moment.replace(tzinfo=moment.tzinfo or UTC).isoformat() if moment else None
