"""Passage vectors in Chroma: one collection an entity and generation, only ids and vectors.

Never one collection with a filter: at 100,000 passages a filter costs 56 ms a query, and a filter
that is forgotten once shows one entity the memory of another.
"""

import asyncio
from collections.abc import Sequence

import numpy as np

from secondhop.stores.chroma_client import ChromaClient
from secondhop.stores.records import Vector, Vectors

_BATCH = 500


class ChromaVectors:
    """A `VectorIndex` in one collection. Reading creates nothing; the first upsert does."""

    def __init__(self, client: ChromaClient, *, name: str) -> None:
        self._client = client
        self._name = name

    async def nearest(self, queries: Vectors, *, k: int) -> list[list[tuple[str, float]]]:
        """See `VectorIndex`."""
        return await asyncio.to_thread(self._nearest, queries, k)

    async def fetch(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `VectorIndex`."""
        return await asyncio.to_thread(self._fetch, list(dict.fromkeys(passage_ids)))

    async def upsert(self, passage_ids: Sequence[str], vectors: Vectors) -> None:
        """See `VectorIndex`. In parts, so that readers need not wait for a big one."""
        for start in range(0, len(passage_ids), _BATCH):
            part = slice(start, start + _BATCH)
            await asyncio.to_thread(self._upsert, list(passage_ids[part]), vectors[part])

    async def remove(self, passage_ids: Sequence[str]) -> None:
        """See `VectorIndex`."""
        for start in range(0, len(passage_ids), _BATCH):
            await asyncio.to_thread(self._remove, list(passage_ids[start : start + _BATCH]))

    async def ids(self) -> set[str]:
        """See `VectorIndex`."""
        return await asyncio.to_thread(self._ids)

    async def count(self) -> int:
        """See `VectorIndex`."""
        return await asyncio.to_thread(self._count)

    async def drop(self) -> None:
        """Forget the whole collection."""
        await asyncio.to_thread(self._drop)

    def _nearest(self, queries: Vectors, k: int) -> list[list[tuple[str, float]]]:
        nothing: list[list[tuple[str, float]]] = [[] for _ in queries]
        with self._client.reading(self._name) as session:
            collection = session and session.collection(self._name)
            if not collection or not len(queries) or k < 1:
                return nothing
            found = collection.query(
                query_embeddings=np.asarray(queries, dtype=np.float32),
                n_results=k,
                include=["distances"],
            )
        return [
            sorted(
                ((i, round(1.0 - d, 6)) for i, d in zip(ids, distances, strict=True)),
                key=lambda hit: (-hit[1], hit[0]),
            )
            for ids, distances in zip(found["ids"], found["distances"] or [], strict=True)
        ]

    def _fetch(self, passage_ids: list[str]) -> dict[str, Vector]:
        vectors: dict[str, Vector] = {}
        with self._client.reading(self._name) as session:
            collection = session and session.collection(self._name)
            if session is None or not collection:
                return {}
            for start in range(0, len(passage_ids), session.max_batch):
                part = passage_ids[start : start + session.max_batch]
                found = collection.get(ids=part, include=["embeddings"])
                rows = np.asarray(found["embeddings"], dtype=np.float32)
                vectors.update(zip(found["ids"], rows, strict=True))
        return vectors

    def _upsert(self, passage_ids: list[str], vectors: Vectors) -> None:
        with self._client.writing(self._name, adds_bytes=vectors.nbytes) as session:
            collection = session.collection(self._name, create=True)
            assert collection is not None
            collection.upsert(ids=passage_ids, embeddings=vectors)

    def _remove(self, passage_ids: list[str]) -> None:
        with self._client.writing(self._name) as session:
            collection = session.collection(self._name)
            if collection:
                collection.delete(ids=passage_ids)

    def _ids(self) -> set[str]:
        with self._client.reading(self._name) as session:
            collection = session and session.collection(self._name)
            return set(collection.get(include=[])["ids"]) if collection else set()

    def _count(self) -> int:
        with self._client.reading(self._name) as session:
            collection = session and session.collection(self._name)
            return collection.count() if collection else 0

    def _drop(self) -> None:
        with self._client.writing(self._name) as session:
            session.drop(self._name)
