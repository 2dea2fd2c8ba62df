"""Baselines rank memories by their best passage, from the question alone."""

from collections.abc import Sequence

import numpy as np

from secondhop.evals.baselines import BASELINES, plain_rankings
from secondhop.models.embedder import Vectors
from secondhop.stores.records import PassageHit, Vector


def unit(*values: float) -> Vector:
    vector = np.array(values, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


PASSAGES = {
    "a:0": unit(0.95, 0.3, 0),
    "a:1": unit(0, 1, 0),
    "b:0": unit(0.94, 0.32, 0),
    "c:0": unit(0.8, -0.4, 0.45),
    "d:0": unit(0, 0, 1),
}
LEXICAL = ["d:0", "a:1", "c:0"]


class FixedEmbedder:
    """Embeds every query as (1, 0, 0)."""

    model_id = "fixed"
    dimension = 3

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([unit(1, 0, 0) for _ in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)


class FixedSearch:
    """Five passages of four memories."""

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        return [[hit for hit in self.by_cosine(query)][:k] for query in queries]

    def by_cosine(self, query: Vector) -> list[PassageHit]:
        hits = [PassageHit(p, p[0], float(vector @ query)) for p, vector in PASSAGES.items()]
        return sorted(hits, key=lambda hit: (-hit.score, hit.passage_id))

    async def lexical(
        self, queries: Sequence[str], *, k: int, memory_ids: Sequence[str] | None = None
    ) -> list[list[PassageHit]]:
        hits = [PassageHit(p, p[0], 1 / rank) for rank, p in enumerate(LEXICAL, start=1)]
        return [hits[:k] for _ in queries]

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        return {passage_id: PASSAGES[passage_id] for passage_id in passage_ids}


async def test_each_baseline_ranks_memories() -> None:
    rankings = await plain_rankings("q", k=3, search=FixedSearch(), embedder=FixedEmbedder())

    assert tuple(rankings) == BASELINES
    assert rankings["dense"] == ["a", "b", "c"]
    assert rankings["bm25"] == ["d", "a", "c"]
    assert rankings["hybrid"][0] == "a"
    assert rankings["mmr 0.5"][:2] == ["a", "c"]  # b repeats a
