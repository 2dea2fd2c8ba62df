"""Embeddings that an evaluation keeps between runs."""

from collections.abc import Sequence
from pathlib import Path

from secondhop.models.embedder import Embedder, Vectors
from secondhop.models.embedding_cache import CachingEmbedder


class KeptPassages:
    """Passages come from a cache file; queries are embedded each time, for honest times."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._kept = CachingEmbedder(inner, path)

    @property
    def model_id(self) -> str:
        """The wrapped embedder's."""
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        """The wrapped embedder's."""
        return self._inner.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """As the wrapped embedder, at most once a text."""
        return await self._kept.embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As the wrapped embedder."""
        return await self._inner.embed_queries(texts)

    def close(self) -> None:
        """Close the cache file."""
        self._kept.close()
