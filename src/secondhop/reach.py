"""How near a memory was to being found by a recall that did not find it."""

import numpy as np

from secondhop.graph.explain import Reach
from secondhop.graph.trace import RecallTrace, TraceQuery
from secondhop.models.embedder import Embedder
from secondhop.stores.protocols import MemoryReader, MemorySearch
from secondhop.stores.records import passage_id_of

FAR = 1_000
"""Passages looked through for the memory's rank."""


async def reach_of(
    trace: RecallTrace,
    memory_id: str,
    *,
    search: MemorySearch,
    reader: MemoryReader,
    embedder: Embedder,
) -> Reach | None:
    """The query of the trace that the memory is nearest to; None when it is not stored."""
    memory = await reader.memory(memory_id)
    cards = await reader.cards([memory_id])
    if memory is None or memory_id not in cards:
        return None
    count = cards[memory_id].passage_count
    vectors = await search.vectors([passage_id_of(memory, n) for n in range(count)])
    asked = [query for query in trace.queries if query.dense]
    if not vectors or not asked:
        return unasked(memory.title, trace)
    queries = await embedder.embed_queries([query.text for query in asked])
    cosines = (queries @ np.stack(list(vectors.values())).T).max(axis=1)
    gaps = [cosine - query.dense[-1].score for cosine, query in zip(cosines, asked, strict=True)]
    nearest = int(np.argmax(gaps))
    (hits,) = await search.dense(queries[nearest][None, :], k=FAR)
    order = list(dict.fromkeys(hit.memory_id for hit in hits))
    return reach(
        memory.title,
        asked[nearest],
        trace,
        cosine=float(cosines[nearest]),
        rank=order.index(memory_id) + 1 if memory_id in order else len(order) + 1,
    )


def reach(
    title: str, query: TraceQuery, trace: RecallTrace, *, cosine: float, rank: int
) -> Reach:
    """The reach of a memory whose nearest query is known."""
    facets = {facet.facet_id: facet.name for facet in trace.facets}
    return Reach(
        title=title,
        query=query.text,
        facet=facets.get(query.facet_id, ""),
        cosine=cosine,
        last_cosine=query.dense[-1].score,
        rank=rank,
        depth=len(query.dense),
    )


def unasked(title: str, trace: RecallTrace) -> Reach:
    """The reach of a memory in a recall whose dense leg found nothing at all."""
    return Reach(
        title=title,
        query=trace.question,
        facet="",
        cosine=0.0,
        last_cosine=0.0,
        rank=1,
        depth=0,
    )
