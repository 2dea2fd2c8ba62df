"""An embedder that remembers its vectors: every text is embedded once, and not once a run."""

import asyncio
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from secondhop.models.embedder import Embedder, Vectors
from secondhop.models.embedding_cache_file import KEPT_QUERIES, NO_LIMIT, EmbeddingCacheFile
from secondhop.telemetry import embedding_span

RECENT = 2_048
"""Vectors that are also kept in memory; the oldest go first."""
FEW = 64
"""Texts of one call that are kept in memory: more are an ingest's, and come once."""

Kind: TypeAlias = Literal["query", "passage"]
Asked: TypeAlias = tuple[Kind, str]
"""A text, and as what it is embedded."""
Call: TypeAlias = asyncio.Task[dict[Asked, Vectors]]


class CachingEmbedder:
    """Wraps an embedder: texts that are found in the cache file are not embedded again.

    The latest vectors are kept in memory too, and a text that another task is waiting for is not
    asked again. A cache is never a reason to fail: what cannot be read is embedded, what cannot be
    written is logged once. One file a store and entity; made when first needed. Vectors can be
    turned back into words, roughly: `purge` what is deleted.
    """

    def __init__(
        self,
        wrapped: Embedder,
        path: Path,
        *,
        of_entity: bool = False,
        recent: int = RECENT,
    ) -> None:
        """`of_entity`: what it holds of passages are those of one entity's memories."""
        self.wrapped = wrapped
        self._of_entity, self._limit = of_entity, recent
        # what people ask has no end; playbooks ask the same for ever
        self._file = EmbeddingCacheFile(path, kept_queries=KEPT_QUERIES if of_entity else NO_LIMIT)
        self._recent: dict[Asked, Vectors] = {}
        self._lock = threading.Lock()
        self._under_way: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Asked, Call]]
        self._under_way = WeakKeyDictionary()
        self._waiting = Counter[Call]()

    @property
    def model_id(self) -> str:
        """The wrapped embedder's."""
        return self.wrapped.model_id

    @property
    def dimension(self) -> int:
        """The wrapped embedder's."""
        return self.wrapped.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dim], rows of unit length, in order."""
        return await self._embedded([("passage", text) for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As for passages; queries are kept apart from passages of the same text."""
        return await self._embedded([("query", text) for text in texts])

    async def purge(self, texts: Sequence[str]) -> None:
        """Forget these texts for every model, and overwrite where they stood."""
        with self._lock:
            for text in texts:
                self._recent.pop(("query", text), None)
                self._recent.pop(("passage", text), None)
        await asyncio.to_thread(self._file.purge, texts)

    async def keep_passages(self, digests: AbstractSet[bytes]) -> None:
        """Of an entity's cache, purge queries and what is no passage of it any more.

        Any other cache is left alone.

        Args:
            digests: of the texts of all its passages (`text_digest`).
        """
        if self._of_entity:
            with self._lock:
                self._recent.clear()
            await asyncio.to_thread(self._file.keep_passages, digests)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    async def _embedded(self, asked: Sequence[Asked]) -> Vectors:
        """From memory, the file or the model.

        A caller that is cancelled leaves its calls to the others; without others they are
        cancelled.
        """
        if not asked:
            return np.zeros((0, self.dimension), dtype=np.float32)
        rows = {one: row for one in asked if (row := self._recent.get(one)) is not None}
        missing = [one for one in dict.fromkeys(asked) if one not in rows]
        calls = self._calls(missing) if missing else []
        self._waiting.update(calls)
        try:
            for call in calls:
                rows |= await asyncio.shield(call)
        finally:
            self._waiting.subtract(calls)
            for call in calls:
                if not self._waiting[call]:
                    del self._waiting[call]
                    call.cancel()  # no effect where it has ended
        return np.stack([rows[one] for one in asked])

    def _calls(self, asked: Sequence[Asked]) -> list[Call]:
        """The calls of this event loop that bring these vectors."""
        under_way = self._under_way.setdefault(asyncio.get_running_loop(), {})
        if new := [one for one in asked if one not in under_way]:
            call = asyncio.create_task(self._fetched(new))
            under_way |= dict.fromkeys(new, call)

            def ended(call: Call) -> None:
                for one in new:
                    del under_way[one]
                if not call.cancelled():
                    call.exception()  # seen, although no caller may be left

            call.add_done_callback(ended)
        return list({under_way[one] for one in asked})

    async def _fetched(self, asked: Sequence[Asked]) -> dict[Asked, Vectors]:
        """Vectors of texts of one kind, from the file or the model."""
        kind, texts = asked[0][0], [text for _, text in asked]
        scope = (self.model_id, kind)
        rows = await asyncio.to_thread(self._file.get, scope, texts)
        if missing := [text for text in texts if text not in rows]:
            queries, model = kind == "query", self.wrapped
            with embedding_span(self.model_id, missing):
                vectors = await (model.embed_queries if queries else model.embed_passages)(missing)
            # copies: a row alone must not keep its whole batch in memory
            fresh = {text: row.copy() for text, row in zip(missing, vectors, strict=True)}
            await asyncio.to_thread(self._file.put, scope, fresh)
            rows |= fresh
        found = {one: rows[one[1]] for one in asked}
        if len(found) <= FEW:
            self._remember(found)
        return found

    def _remember(self, rows: Mapping[Asked, Vectors]) -> None:
        with self._lock:
            self._recent |= rows
            for oldest in list(self._recent)[: max(0, len(self._recent) - self._limit)]:
                del self._recent[oldest]


def past_the_cache(embedder: Embedder) -> Embedder:
    """The model itself, without what remembers its vectors."""
    while isinstance(embedder, CachingEmbedder):
        embedder = embedder.wrapped
    return embedder
