"""Deletes memories so that no file keeps their text, even after a kill or a full disk.

The catalog first notes which memories are to go. If the process is killed, the next opening finds
that note: see `secondhop.memories.forgetting`, which also empties caches and traces.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager

from secondhop.stores.catalog import erasing, notes, stored_ids
from secondhop.stores.catalog.catalog import Catalog, by_reading
from secondhop.stores.locks import to_its_end
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Erasure

COMPACTED_AT_ONCE = 2_000
"""With at most this many passages, every erasure compacts the vectors, in about two seconds."""
WITH_CUES = 2
"""Passages and cues together may be this many times `COMPACTED_AT_ONCE`."""


class MemoryErasure:
    """Erases memories of one entity."""

    def __init__(
        self,
        catalog: Catalog,
        index: VectorIndex,
        *,
        cue_index: VectorIndex,
        delete: Callable[[Sequence[str]], Awaitable[int]],
        writing: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        """
        Args:
            delete: removes memories from catalog and index; leftovers stay in the files.
            writing: a block in which no other process writes.
        """
        self._catalog, self._index, self._cue_index = catalog, index, cue_index
        self._delete, self._writing = delete, writing

    unfinished = by_reading(erasing.read_erasing)
    needs_compaction = by_reading(erasing.needs_compaction)

    async def begin(self, memory_ids: Sequence[str]) -> None:
        """Note that these memories are to be erased; `erase` removes the note."""
        async with self._writing():
            await self._catalog.awrite(erasing.note_erasing, memory_ids)

    async def erase(self, memory_ids: Sequence[str]) -> Erasure:
        """Delete memories, then purge what deleting leaves of text and vectors in the files.

        The vectors of a big entity stay in Chroma's files until `compact`.
        """
        await self._delete(memory_ids)
        if not await asyncio.to_thread(self._catalog.exists):
            return Erasure(text=True, vectors=True)
        async with self._writing():
            await self._catalog.awrite(erasing.leave_erasing, memory_ids)
            return await to_its_end(self._erase_leftovers())

    async def compact(self) -> bool:
        """Purge erased vectors from all files; False if that cannot be done now."""
        async with self._writing():
            return await to_its_end(self._compact())

    async def _erase_leftovers(self) -> Erasure:
        vectors = await self._is_small() and await self._compact_indexes()
        text = await asyncio.to_thread(self._catalog.erase_leftovers)
        if text:
            await self._catalog.awrite(erasing.note_erased, needs_compaction=not vectors)
        return Erasure(text=text, vectors=vectors)

    async def _compact(self) -> bool:
        done = await self._compact_indexes()
        if done and await self._catalog.aread(erasing.read_erasing) is None:
            await self._catalog.awrite(erasing.note_erased, needs_compaction=False)
        return done

    async def _is_small(self) -> bool:
        passages = await asyncio.to_thread(self._catalog.passage_count)
        cued = await self._catalog.aread(stored_ids.count, stored_ids.CUES)
        return passages <= COMPACTED_AT_ONCE and passages + cued <= WITH_CUES * COMPACTED_AT_ONCE

    async def _compact_indexes(self) -> bool:
        done = await self._index.compact()
        if await self._catalog.aread(notes.has_cue_vectors):
            done = await self._cue_index.compact() and done
        return done
