"""Why a memory came back in a recall, or did not."""

from pathlib import Path

from secondhop.errors import UsageError
from secondhop.given_values import check_id
from secondhop.graph.explain import Explanation, explain
from secondhop.graph.trace import RecallTrace, hidden_of
from secondhop.nodes.services import Services
from secondhop.reach import reach_of
from secondhop.stores.entity_store import EntityStore
from secondhop.traces import TraceFolder


async def explained(
    trace: str | Path | RecallTrace,
    memory_id: str,
    *,
    traces: TraceFolder,
    store: EntityStore,
    services: Services,
) -> Explanation:
    """See `Recall.aexplain`."""
    check_id(memory_id)
    story = traces.find(trace)
    if story.entity != services.entity:
        raise UsageError(
            f"trace {story.trace_id} is of entity {story.entity!r}, "
            f"not of {services.entity!r}; open that entity"
        )
    reach = None
    if story.candidate(memory_id) is None and hidden_of(story, memory_id) is None:
        reach = await reach_of(
            story,
            memory_id,
            search=store,
            reader=store,
            embedder=services.embedder,
        )
    return explain(story, memory_id, reach=reach)
