"""The part of `Recall` that tells why an answer is as it is."""

from pathlib import Path

from secondhop.assembly import Embedders
from secondhop.blocking import blocking
from secondhop.errors import UsageError
from secondhop.given_values import check_id
from secondhop.graph.explain import Explanation, explain
from secondhop.graph.trace import RecallTrace, hidden_of
from secondhop.nodes.services import Services
from secondhop.reach import reach_of
from secondhop.stores.entity_store import EntityStore
from secondhop.sync_door import SyncDoor
from secondhop.traces import TraceFolder


class ExplainsAnswers:
    """Methods of `Recall`: what a recall did, and why a memory came back, or did not."""

    _door: SyncDoor
    _store: EntityStore
    _embedders: Embedders
    _services: Services
    _traces: TraceFolder

    def trace(self, trace_id: str) -> RecallTrace:
        """The trace of a recall; the last 200 are kept.

        Raises:
            UsageError: none of that id is kept.
        """
        return self._traces.load(trace_id)

    async def aexplain(self, trace: str | Path | RecallTrace, memory_id: str) -> Explanation:
        """Why a memory came back, or why not, and the smallest change that would admit it.

        Args:
            trace: a trace, its id, or its file.

        Raises:
            UsageError: no such trace, a trace of another entity, or no such memory.
        """
        check_id(memory_id)
        story = self._traces.find(trace)
        if story.entity != self._services.entity:
            raise UsageError(
                f"trace {story.trace_id} is of entity {story.entity!r}, "
                f"not of {self._services.entity!r}; open that entity"
            )
        reach = None
        if story.candidate(memory_id) is None and hidden_of(story, memory_id) is None:
            reach = await reach_of(
                story,
                memory_id,
                search=self._store,
                reader=self._store,
                embedder=self._embedders.entity,
                hubs=self._services.hubs,
            )
        return explain(story, memory_id, reach=reach)

    explain = blocking(aexplain)
