"""Writing to catalog and vectors as to one store.

The catalog is the truth and the vectors follow it. A write notes its passage ids first (an
intent), so that a process killed anywhere leaves vectors that the next start can find and undo:

    put:    note -> vectors -> catalog (all at once; the note becomes one for the old vectors)
            -> old vectors away -> note away
    delete: catalog and note -> vectors away -> note away

Passage ids hold the content hash, so vectors of an old version never pass for the new one.
"""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

import numpy as np

from secondhop.errors import CorruptStoreError, UsageError
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import Decision
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import EmbeddedMemory, Vectors
from secondhop.stores.vectors.cache import VectorCache

_REMOVED_AT_ONCE = 5_000


class Outbox:
    """Puts and deletes, and undoes what was left half done. Its caller holds the writer's lock."""

    def __init__(
        self, catalog: Catalog, index: VectorIndex, *, cache: VectorCache, identity: Identity
    ) -> None:
        self._catalog, self._index, self._cache = catalog, index, cache
        self._identity = identity

    async def put(
        self,
        memories: Sequence[EmbeddedMemory],
        *,
        at: datetime,
        decide: Decision | None = None,
    ) -> None:
        """Store them at this moment, batch by batch; the catalog's file is there already."""
        await self.repair()
        for batch in in_batches(memories):
            await self._put_batch(batch, at=at, decide=decide)

    async def delete(self, memory_ids: Sequence[str]) -> int:
        """How many of them existed."""
        existed, _ = await asyncio.to_thread(self._catalog.remove, memory_ids)
        await self.repair()
        return existed

    async def repair(self) -> None:
        """Remove the vectors that open notes name and the catalog does not know."""
        intents = await asyncio.to_thread(self._catalog.intents)
        for number, unknown in intents.items():
            if unknown:
                await self._index.remove(unknown)
            await asyncio.to_thread(self._catalog.settle, number)

    async def compare(self, *, cure: str) -> None:
        """Remove vectors that belong to nothing stored; open notes are repaired before.

        Raises:
            CorruptStoreError: vectors are missing; `cure` is advised.
        """
        stored = await asyncio.to_thread(self._catalog.passage_count)
        if await self._index.count() == stored:
            return
        expected = set(await asyncio.to_thread(self._catalog.passage_ids))
        present = await self._index.ids()
        missing = len(expected - present)
        if missing:
            raise CorruptStoreError(
                f"{missing} of {len(expected)} passage vectors of entity "
                f"{self._identity.entity!r} are missing; the memories are safe: {cure}"
            )
        orphans = sorted(present - expected)
        for start in range(0, len(orphans), _REMOVED_AT_ONCE):
            await self._index.remove(orphans[start : start + _REMOVED_AT_ONCE])

    async def _put_batch(
        self, batch: Sequence[EmbeddedMemory], *, at: datetime, decide: Decision | None
    ) -> None:
        ids = [p.passage_id for embedded in batch for p in embedded.passages]
        intent = await asyncio.to_thread(self._catalog.intend, ids)
        self._cache.drop(ids)
        await self._index.upsert(ids, _stacked(batch, dimension=self._identity.dimension))
        store = partial(self._catalog.store, batch, intent=intent, at=at, decide=decide)
        try:
            leaving = await asyncio.to_thread(store)
        except UsageError:
            await self.repair()
            raise
        if leaving is not None:
            await self.repair()


def _stacked(batch: Sequence[EmbeddedMemory], *, dimension: int) -> Vectors:
    rows = [np.zeros((0, dimension), dtype=np.float32)]
    rows += [np.asarray(embedded.vectors, dtype=np.float32) for embedded in batch]
    return np.concatenate(rows)


_PASSAGES = 512
_NORM_TOLERANCE = 1e-3


def checked(memories: Sequence[EmbeddedMemory], *, dimension: int) -> list[EmbeddedMemory]:
    """The last version of each memory, in order of first appearance.

    Raises:
        UsageError: an id is empty or no text, passages of another memory, passage ids that occur
            twice, or vectors whose shape or length is wrong.
    """
    latest = {embedded.memory.memory_id: embedded for embedded in memories}
    seen: set[str] = set()
    for memory_id, embedded in latest.items():
        problem = _problem(embedded, dimension=dimension)
        ids = {passage.passage_id for passage in embedded.passages}
        if seen & ids:
            problem = f"a passage id that another memory has too: {min(seen & ids)!r}"
        if problem:
            raise UsageError(f"memory {memory_id!r} cannot be stored: {problem}")
        seen |= ids
    return list(latest.values())


def in_batches(memories: Sequence[EmbeddedMemory]) -> Iterator[list[EmbeddedMemory]]:
    """Whole memories, together at most 512 passages, unless one alone has more."""
    batch: list[EmbeddedMemory] = []
    size = 0
    for embedded in memories:
        if batch and size + len(embedded.passages) > _PASSAGES:
            yield batch
            batch, size = [], 0
        batch.append(embedded)
        size += len(embedded.passages)
    if batch:
        yield batch


def _problem(embedded: EmbeddedMemory, *, dimension: int) -> str:
    memory, passages, vectors = embedded.memory, embedded.passages, embedded.vectors
    ids = [passage.passage_id for passage in passages]
    if not memory.memory_id or not all(ids) or not _is_text([memory.memory_id, *ids]):
        return "an id is empty, or holds half of a character"
    if memory.created_at.tzinfo is None:
        return "created_at has no time zone"
    if any(passage.memory_id != memory.memory_id for passage in passages):
        return "it has passages of another memory"
    if len(set(ids)) != len(ids):
        return "a passage id occurs twice"
    if vectors.shape != (len(passages), dimension):
        return f"vectors of shape {vectors.shape}, where {(len(passages), dimension)} is needed"
    norms = np.linalg.norm(vectors, axis=1)
    if not (np.abs(norms - 1) < _NORM_TOLERANCE).all():
        return "a vector is not of unit length"
    return ""


def _is_text(values: Sequence[str]) -> bool:
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        return False
    return True
