"""A cache of embeddings on disk, so that a text is embedded once and not once a run."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import numpy as np

from secondhop.models.embedder import Embedder, EmbedderWrapper, Vectors
from secondhop.models.embedding_cache_file import EmbeddingCacheFile


class CachingEmbedder(EmbedderWrapper):
    """Wraps an embedder: passages and queries found in the cache file are not embedded again.

    A cache is never a reason to fail: what cannot be read is embedded, what cannot be written is
    logged once. One file a store and entity; made when first needed. Vectors can be turned back
    into words, roughly: `purge` what is deleted.
    """

    def __init__(self, inner: Embedder, path: Path, *, of_entity: bool = False) -> None:
        """`of_entity`: what it holds of passages are those of one entity's memories."""
        super().__init__(inner)
        self._of_entity = of_entity
        self._file = EmbeddingCacheFile(path)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dim], rows of unit length, in order."""
        return await self._cached(texts, kind="passage", embed=self._inner.embed_passages)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As for passages; queries are kept apart from passages of the same text."""
        return await self._cached(texts, kind="query", embed=self._inner.embed_queries)

    async def purge(self, texts: Sequence[str]) -> None:
        """Forget these texts for every model, and overwrite where they stood."""
        await asyncio.to_thread(self._file.purge, texts)

    async def keep_passages(self, digests: AbstractSet[bytes]) -> None:
        """Of an entity's cache, purge queries and what is no passage of it any more.

        Any other cache is left alone.

        Args:
            digests: of the texts of all its passages (`text_digest`).
        """
        if self._of_entity:
            await asyncio.to_thread(self._file.keep_passages, digests)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    async def _cached(
        self,
        texts: Sequence[str],
        *,
        kind: str,
        embed: Callable[[Sequence[str]], Awaitable[Vectors]],
    ) -> Vectors:
        if not texts:
            return await embed(texts)
        wanted = list(dict.fromkeys(texts))
        scope = (self.model_id, kind)
        rows = await asyncio.to_thread(self._file.get, scope, wanted)
        missing = [text for text in wanted if text not in rows]
        if missing:
            fresh = dict(zip(missing, await embed(missing), strict=True))
            await asyncio.to_thread(self._file.put, scope, fresh)
            rows |= fresh
        return np.stack([rows[text] for text in texts])
