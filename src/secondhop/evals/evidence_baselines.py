"""What plain search brings for the same tokens: passages, best first, of the same store."""

from collections.abc import Mapping, Sequence

import numpy as np

from secondhop.models.embedder import Embedder
from secondhop.ranking.fusion import reciprocal_rank_fusion
from secondhop.stores.protocols import MemoryReader, MemorySearch
from secondhop.stores.records import PassageHit

PASSAGES = 200
"""Passages of each search; more than the largest usual budget holds."""

PASSAGE_BASELINES = ("dense", "bm25", "rrf")
"""In the order of a report."""


async def plain_passages(
    question: str, *, search: MemorySearch, reader: MemoryReader, embedder: Embedder
) -> Mapping[str, list[str]]:
    """{baseline: passage texts, best first}; no plan, no feedback, the question alone."""
    vector = (await embedder.embed_queries([question]))[0]
    dense = ids((await search.dense(vector[np.newaxis, :], k=PASSAGES))[0])
    lexical = ids((await search.lexical([question], k=PASSAGES))[0])
    fused = [passage_id for passage_id, _ in reciprocal_rank_fusion([dense, lexical])]
    passages = await reader.passages(fused)
    rankings = {"dense": dense, "bm25": lexical, "rrf": fused}
    return {
        name: [passages[passage_id].text for passage_id in ranking if passage_id in passages]
        for name, ranking in rankings.items()
    }


def ids(hits: Sequence[PassageHit]) -> list[str]:
    """Passage ids, in order."""
    return [hit.passage_id for hit in hits]
