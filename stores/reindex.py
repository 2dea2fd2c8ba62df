"""Rebuilds an entity's vectors from its catalog, in collections beside the old ones."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import NamedTuple

from secondhop.errors import CorruptStoreError, StoreError, UsageError
from secondhop.stores.catalog import cues, reads
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.cues import Cue
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Memory, Passage, Vectors
from secondhop.stores.vectors.chroma_database import UnfinishedIndexError

_PAGE = 64
_CUES_AT_ONCE = 256


class EntityVectors(NamedTuple):
    """The collections of one entity, of one generation."""

    passages: VectorIndex
    cues: VectorIndex

    async def drop(self) -> None:
        """Delete both collections."""
        await self.cues.drop()
        await self.passages.drop()


class Reindex:
    """One reindex: `put` a vector for every passage of `memories()`, and `put_cues` one for every
    cue of `cues()`, then `finish`. Made by `StoreDirectory.reindexing`.
    """

    def __init__(
        self,
        *,
        catalog: Catalog,
        old: EntityVectors,
        new: EntityVectors,
        identity: Identity,
        finished: Callable[[Identity], None],
    ) -> None:
        self._catalog, self._old, self._new = catalog, old, new
        self._identity, self._finished = identity, finished
        self.is_done = False
        """Whether the new vectors are in use."""

    async def memories(self) -> AsyncIterator[tuple[Memory, tuple[Passage, ...]]]:
        """Every stored memory with its passages, ordered by memory id."""
        after = ""
        while page := await self._catalog.aread(reads.page, after=after, limit=_PAGE):
            for memory, passages in page:
                yield memory, passages
            after = page[-1][0].memory_id

    async def cues(self) -> AsyncIterator[list[Cue]]:
        """Every stored cue by id, at most 256 at a time."""
        after = ""
        while page := await self._catalog.aread(cues.all_cues, after=after, limit=_CUES_AT_ONCE):
            yield page
            after = page[-1].cue_id

    async def is_needed(self) -> bool:
        """Whether a killed process left the vectors in use unfinished."""
        try:
            await self._old.passages.count()
            await self._old.cues.count()
        except UnfinishedIndexError:
            return True
        return False

    async def put(self, passage_ids: Sequence[str], vectors: Vectors) -> None:
        """Store new vectors, rows of unit length in the order of the ids."""
        await self._put(passage_ids, vectors, self._new.passages)

    async def put_cues(self, cue_ids: Sequence[str], vectors: Vectors) -> None:
        """As `put`, for cues."""
        await self._put(cue_ids, vectors, self._new.cues)

    async def _put(self, ids: Sequence[str], vectors: Vectors, index: VectorIndex) -> None:
        wanted = (len(ids), self._identity.dimension)
        if vectors.shape != wanted:
            raise UsageError(f"vectors of shape {vectors.shape}, where {wanted} is needed")
        if ids:
            await index.upsert(ids, vectors)

    async def finish(self) -> None:
        """Switch to the new vectors in one step, and delete the old ones.

        Raises:
            StoreError: a passage or a cue has no new vector yet; the old ones stay in use.
        """
        expected = await self._catalog.aread(reads.ids, reads.PASSAGES)
        expected |= (cued := await self._catalog.aread(reads.ids, reads.CUES))
        missing = expected - await self._new.passages.ids()
        if cued:
            missing -= await self._new.cues.ids()
        if missing:
            raise StoreError(
                f"{len(missing)} of {len(expected)} passages and cues have no new vector yet; "
                f"put them before finish()"
            )
        await asyncio.to_thread(self._catalog.adopt, self._identity)
        self.is_done = True
        await asyncio.to_thread(self._finished, self._identity)
        try:
            await self._old.drop()
        except CorruptStoreError:
            return  # unreadable old vectors are out of use now
