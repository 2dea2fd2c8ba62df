"""Rebuilds an entity's vectors from its catalog, in collections beside the old ones."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import NamedTuple

from secondhop.errors import CorruptStoreError, StoreError
from secondhop.stores.catalog import cues, stored_ids
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.cues import Cue
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.vectors.chroma_database import UnfinishedIndexError

_CUES_AT_ONCE = 256


class EntityVectors(NamedTuple):
    """The collections of one entity, of one generation."""

    passages: VectorIndex
    cues: VectorIndex

    async def drop(self) -> None:
        """Delete both collections."""
        await self.cues.drop()
        await self.passages.drop()


@dataclass(kw_only=True)
class Reindex:
    """One reindex: put a vector into `new` for every passage of `catalog.pages()` and every cue of
    `cues()`, then `finish`. Made by `StoreDirectory.reindexing`.
    """

    catalog: Catalog
    old: EntityVectors
    new: EntityVectors
    identity: Identity
    finished: Callable[[Identity], None]
    is_done: bool = False
    """Whether the new vectors are in use."""

    async def cues(self) -> AsyncIterator[list[Cue]]:
        """Every stored cue by id, at most 256 at a time."""
        after = ""
        while page := await self.catalog.aread(cues.all_cues, after=after, limit=_CUES_AT_ONCE):
            yield page
            after = page[-1].cue_id

    async def is_needed(self) -> bool:
        """Whether a killed process left the vectors in use unfinished."""
        try:
            await self.old.passages.count()
            await self.old.cues.count()
        except UnfinishedIndexError:
            return True
        return False

    async def finish(self) -> None:
        """Switch to the new vectors in one step, and delete the old ones.

        Raises:
            StoreError: a passage or a cue has no new vector yet; the old ones stay in use.
        """
        expected = await self.catalog.aread(stored_ids.ids, stored_ids.PASSAGES)
        expected |= (cued := await self.catalog.aread(stored_ids.ids, stored_ids.CUES))
        missing = expected - await self.new.passages.ids()
        if cued:
            missing -= await self.new.cues.ids()
        if missing:
            raise StoreError(
                f"{len(missing)} of {len(expected)} passages and cues have no new vector yet; "
                f"put them before finish()"
            )
        await asyncio.to_thread(self.catalog.adopt, self.identity)
        self.is_done = True
        await asyncio.to_thread(self.finished, self.identity)
        try:
            await self.old.drop()
        except CorruptStoreError:
            return  # unreadable old vectors are out of use now
