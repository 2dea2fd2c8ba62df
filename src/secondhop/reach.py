"""How close a recall came to finding a memory that it did not find."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from secondhop.graph.deciding import is_planned
from secondhop.graph.explanation import Reach
from secondhop.graph.trace import RecallTrace, TraceQuery
from secondhop.models.embedder import Embedder
from secondhop.nodes.retrieve import FILLING, PASSAGES_A_MEMORY, UNPLANNED
from secondhop.nodes.selection.visibility import NOTHING_HIDDEN, Hidden
from secondhop.ranking.arrays import Vectors
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import PassageHit

FAR = 1_000
"""How many passages of each ranking are searched for the memory."""

NOT_SEARCHED = frozenset({"refine", "spark", "playbook"})
"""Origins of queries whose own vector was not searched: votes have moved the vectors of some, and
playbook queries only score memories that are near them."""


class RankInSearch(NamedTuple):
    """Where a memory stands in one ranking of one query. The smallest is the nearest."""

    depth_factor: int
    """The smallest `depth_factor` with which this query would find the memory."""
    rank: int
    """Rank among memories, from 1."""
    place: int
    """Index of the query among those asked, from 0."""


async def reach_of(
    trace: RecallTrace,
    memory_id: str,
    *,
    store: EntityStore,
    embedder: Embedder,
    hidden: Hidden = NOTHING_HIDDEN,
) -> Reach | None:
    """Which query of the trace came closest to finding the memory; None if it is not stored.
    `hidden`: what the recall could not show; it takes no rank."""
    card = (await store.cards([memory_id])).get(memory_id)
    if card is None:
        return None
    passages = await vectors_of(memory_id, store)
    asked = [query for query in trace.queries if query.round and query.origin not in NOT_SEARCHED]
    if not len(passages) or not asked:
        return Reach(title=card.title)
    queries = await embedder.embed_queries([query.text for query in asked])
    rankings = await store.dense(queries, k=FAR)
    ranks: list[RankInSearch | None] = []
    for place, (query, hits) in enumerate(zip(asked, rankings, strict=True)):
        worded = (await store.lexical([query.text], k=FAR))[0]
        for found in (hits, worded):
            seen = [hit for hit in found if not hidden.hides(hit.memory_id)]
            ranks.append(rank_in_search(seen, memory_id, place, k=trace.k))
    known = [entry for entry in ranks if entry is not None]
    if not known:
        return Reach(title=card.title)
    nearest = min(known)
    cosine = float((passages @ queries[nearest.place]).max())
    return reach(card.title, asked[nearest.place], trace, nearest, cosine=cosine)


def rank_in_search(
    hits: Sequence[PassageHit], memory_id: str, place: int, *, k: int
) -> RankInSearch | None:
    """The memory's rank in one ranking, or None if the ranking does not hold it."""
    order = list(dict.fromkeys(hit.memory_id for hit in hits))
    if memory_id not in order:
        return None
    rank = order.index(memory_id) + 1
    passage_rank = [hit.memory_id for hit in hits].index(memory_id) + 1
    deep = max(-(-rank // k), -(-passage_rank // (k * PASSAGES_A_MEMORY)))
    return RankInSearch(deep, rank, place)


async def vectors_of(memory_id: str, store: EntityStore) -> Vectors:
    """The vectors of a memory's passages, one row each; no rows if it is not stored."""
    passage_ids = (await store.passage_ids([memory_id])).get(memory_id, [])
    found = await store.vectors(passage_ids)
    return np.stack([*found.values()]) if found else np.zeros((0, 0), np.float32)


def reach(
    title: str, query: TraceQuery, trace: RecallTrace, nearest: RankInSearch, *, cosine: float
) -> Reach:
    """The reach of a memory whose nearest query, and rank for it, are known."""
    facets = {facet.facet_id: facet.name for facet in trace.facets}
    depth = trace.k * int(trace.settings.get("ranking.depth_factor") or 1)
    if not is_planned(trace):
        depth = max(depth, UNPLANNED if trace.tokens is None else FILLING)
    counted = query.dense[:depth]
    return Reach(
        title=title,
        query=query.text,
        facet=facets.get(query.facet_id, ""),
        cosine=cosine,
        last_cosine=counted[-1].score if counted else 0.0,
        rank=nearest.rank,
        depth=depth,
        depth_factor=nearest.depth_factor if is_planned(trace) else 0,
    )
