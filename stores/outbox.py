"""Writes to catalog and vectors as if they were one store.

The catalog is the truth and the vectors follow it: passages in one index, cues in another. A write
first notes its ids (an intent). If the process is killed at any point, the next start finds the
note and removes the vectors that the catalog does not know:

    put:    note -> vectors -> catalog (all at once; the note becomes one for the old vectors)
            -> remove old vectors -> remove note
    delete: catalog and note -> remove vectors -> remove note

Passage ids and cue ids contain a hash of what is embedded, so vectors of an old version are never
taken for the new one, and a passage that stays as it is keeps its vector.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

import numpy as np

from secondhop.errors import UsageError
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import Decision
from secondhop.stores.catalog.notes import open_intents
from secondhop.stores.catalog.stored_ids import PASSAGES, known
from secondhop.stores.cues import cues_given
from secondhop.stores.database import Connection
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import EmbeddedMemory, Vectors


class Outbox:
    """Puts and deletes memories, and undoes half-done writes. The caller holds the writer's
    lock."""

    def __init__(
        self,
        catalog: Catalog,
        index: VectorIndex,
        *,
        cue_index: VectorIndex,
        identity: Identity,
    ) -> None:
        self._catalog, self._index, self._cue_index = catalog, index, cue_index
        self._identity = identity

    async def put(
        self, memories: Sequence[EmbeddedMemory], *, at: datetime, decide: Decision | None
    ) -> None:
        """Store memories, all or none, in a catalog that exists; see `Catalog.store`."""
        await self.repair()
        rows = {
            passage.passage_id: vector
            for one in memories
            for passage, vector in zip(one.passages, one.vectors, strict=True)
        }
        stored = await self._catalog.aread(known, list(rows), PASSAGES)
        ids = [one for one in rows if one not in stored]
        cues = [cue.cue_id for embedded in memories for cue in cues_given(embedded.memory)]
        intent = await asyncio.to_thread(self._catalog.intend, ids, cues)
        await self._index.upsert(ids, self._stacked([rows[one][np.newaxis] for one in ids]))
        if cues:
            own = [one.cue_vectors for one in memories if len(one.cue_vectors)]
            await self._cue_index.upsert(cues, self._stacked(own))
        store = partial(self._catalog.store, memories, intent=intent, at=at, decide=decide)
        try:
            leaving = await asyncio.to_thread(store)
        except UsageError:
            await self.repair()
            raise
        if leaving is not None:
            await self.repair()

    async def delete(self, memory_ids: Sequence[str]) -> int:
        """Delete memories and their vectors. Returns how many existed."""
        existed = await asyncio.to_thread(self._catalog.remove, memory_ids)
        await self.repair()
        return existed

    async def repair(self) -> None:
        """Remove the vectors that open notes name but the catalog does not know."""
        intents = await self._catalog.aread(open_intents)
        for number, unknown in intents.items():
            if unknown.passage_ids:
                await self._index.remove(unknown.passage_ids)
            if unknown.cue_ids:
                await self._cue_index.remove(unknown.cue_ids)
            await asyncio.to_thread(self._catalog.settle, number)

    async def put_cues(
        self,
        cue_ids: Sequence[str],
        vectors: Vectors,
        *,
        write: Callable[[Connection], set[str]],
    ) -> None:
        """Put vectors of cues, then enter the cues with `write` (see `Catalog.change_cues`)."""
        await self.repair()
        intent: int | None = None
        if cue_ids:
            intent = await asyncio.to_thread(self._catalog.intend, [], cue_ids)
            await self._cue_index.upsert(cue_ids, vectors)
        if await asyncio.to_thread(partial(self._catalog.change_cues, write, intent=intent)):
            await self.repair()

    def _stacked(self, parts: Sequence[Vectors]) -> Vectors:
        rows = [np.zeros((0, self._identity.dimension), dtype=np.float32)]
        return np.concatenate([*rows, *(np.asarray(part, dtype=np.float32) for part in parts)])


_NORM_TOLERANCE = 1e-3


def checked(memories: Sequence[EmbeddedMemory], *, dimension: int) -> list[EmbeddedMemory]:
    """The last version of each memory, in order of first appearance.

    Raises:
        UsageError: vectors do not fit the passages or cues, or are not of unit length.
    """
    latest = {embedded.memory.memory_id: embedded for embedded in memories}
    for memory_id, one in latest.items():
        own, cues = len(one.passages), len(cues_given(one.memory))
        fault = vectors_fault(one.vectors, own, dimension=dimension)
        fault = fault or vectors_fault(one.cue_vectors, cues, dimension=dimension, of="cue ")
        if fault:
            raise UsageError(f"memory {memory_id!r} cannot be stored: {fault}")
    return list(latest.values())


def vectors_fault(vectors: Vectors, count: int, *, dimension: int, of: str = "") -> str:
    """Why these are not the vectors of `count` texts; "" if they may be."""
    if count and vectors.shape != (count, dimension):
        return f"{of}vectors of shape {vectors.shape}, where {(count, dimension)} is needed"
    if count and not (np.abs(np.linalg.norm(vectors, axis=1) - 1) < _NORM_TOLERANCE).all():
        return f"a {of}vector is not of unit length"
    return ""
