"""Plain search for the same question, over the same store and vectors.

All baselines rank memories; a memory has the rank of its best passage.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from secondhop.models.embedder import Embedder
from secondhop.ranking.fusion import reciprocal_rank_fusion
from secondhop.ranking.mmr import mmr_select
from secondhop.stores.protocols import MemorySearch
from secondhop.stores.records import PassageHit, Vector

PASSAGES_PER_MEMORY = 20
"""Passages fetched per memory wanted, so that long memories do not crowd out others."""

POOL_FACTOR = 4
"""Memories that hybrid and MMR choose from, as a multiple of k; our own queries go as deep."""

MMR_LAMBDAS = (0.5, 0.7)

MMR_NAMES = {f"mmr {lambda_}": lambda_ for lambda_ in MMR_LAMBDAS}

BASELINES = ("dense", "bm25", "hybrid", *MMR_NAMES)
"""In the order of a report."""


async def plain_rankings(
    question: str,
    *,
    k: int,
    search: MemorySearch,
    embedder: Embedder,
) -> Mapping[str, list[str]]:
    """{baseline: at most k memory ids, best first}, searching for the question only."""
    depth = POOL_FACTOR * k
    vectors = np.asarray(await embedder.embed_queries([question]), dtype=np.float32)
    (near,) = await search.dense(vectors, k=PASSAGES_PER_MEMORY * depth)
    (worded,) = await search.lexical([question], k=PASSAGES_PER_MEMORY * depth)
    dense, lexical = best_passages(near)[:depth], best_passages(worded)[:depth]
    rankings = {
        "dense": memory_ids(dense),
        "bm25": memory_ids(lexical),
        "hybrid": hybrid(dense, lexical),
    }
    stored = await search.vectors([hit.passage_id for hit in dense])
    for name, lambda_ in MMR_NAMES.items():
        rankings[name] = diverse(vectors[0], dense, stored, k=k, lambda_=lambda_)
    return {name: ranking[:k] for name, ranking in rankings.items()}


def best_passages(hits: Sequence[PassageHit]) -> list[PassageHit]:
    """The first (best) passage of each memory, in order."""
    best: dict[str, PassageHit] = {}
    for hit in hits:
        best.setdefault(hit.memory_id, hit)
    return list(best.values())


def memory_ids(hits: Sequence[PassageHit]) -> list[str]:
    """The memory ids of these passages, in order."""
    return [hit.memory_id for hit in hits]


def hybrid(dense: Sequence[PassageHit], lexical: Sequence[PassageHit]) -> list[str]:
    """Both searches, combined by reciprocal rank fusion with k = 60."""
    fused = reciprocal_rank_fusion([memory_ids(dense), memory_ids(lexical)])
    return [memory_id for memory_id, _ in fused]


def diverse(
    query: Vector,
    pool: Sequence[PassageHit],
    vectors: Mapping[str, Vector],
    *,
    k: int,
    lambda_: float,
) -> list[str]:
    """Memory ids chosen from the pool by maximal marginal relevance."""
    known = [hit for hit in pool if hit.passage_id in vectors]
    if not known:
        return []
    rows = np.stack([vectors[hit.passage_id] for hit in known])
    picks = mmr_select(rows @ query, rows @ rows.T, k=k, lambda_=lambda_)
    return [known[row].memory_id for row in picks]
