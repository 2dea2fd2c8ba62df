"""An embedder whose calls can be counted."""

from collections.abc import Sequence

from secondhop.models.embedder import Vectors
from secondhop.models.hashing import HashingEmbedder


class CountingEmbedder:
    """A hashing embedder that remembers every call, and can fail."""

    def __init__(self, model_id: str = "counting") -> None:
        self._hashing = HashingEmbedder(16)
        self.model_id = model_id
        self.dimension = 16
        self.passage_calls: list[list[str]] = []
        self.query_calls: list[list[str]] = []
        self.failure: Exception | None = None

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.passage_calls.append(list(texts))
        return await self._answer(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.query_calls.append(list(texts))
        return await self._answer(texts)

    async def _answer(self, texts: Sequence[str]) -> Vectors:
        if self.failure is not None:
            raise self.failure
        return await self._hashing.embed_passages(texts)
