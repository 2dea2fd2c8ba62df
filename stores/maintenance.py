"""Checks and repairs of catalog and vectors, each by itself: for `doctor`.

Recall and ingest never see a half: they use `EntityStore`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple

from secondhop.stores.catalog import cues, reads
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.catalog.notes import has_cue_vectors
from secondhop.stores.locks import to_its_end
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Vector, Vectors


class StoreMaintenance:
    """Reads vectors and catalog of one entity apart, and mends where they do not fit together."""

    def __init__(
        self,
        catalog: Catalog,
        index: VectorIndex,
        *,
        writing: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        """`writing` is a block in which no other process writes."""
        self._catalog, self._index, self._writing = catalog, index, writing

    async def stored_vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """As the index has them now, whatever this process remembers."""
        return await self._index.fetch(passage_ids)

    async def drop_vectors(self, passage_ids: Sequence[str]) -> None:
        """Remove vectors of passages that are not stored; those of stored ones stay."""
        async with self._writing():
            known = await self._catalog.aread(reads.owners, passage_ids)
            await to_its_end(self._index.remove([i for i in passage_ids if i not in known]))

    async def put_vectors(self, passage_ids: Sequence[str], vectors: Vectors) -> None:
        """Put vectors of stored passages that lack theirs; those of passages gone since are left.

        Args:
            vectors: float32 [n_passages, dim], rows of unit length.
        """
        async with self._writing():
            known = await self._catalog.aread(reads.owners, passage_ids)
            rows = [row for row, one in enumerate(passage_ids) if one in known]
            stored = [passage_ids[row] for row in rows]
            if stored:
                await to_its_end(self._index.upsert(stored, vectors[rows]))

    async def wrong_postings(self) -> list[str]:
        """Words of the word index that it has otherwise than the stored text; sorted."""
        return await asyncio.to_thread(self._catalog.wrong_postings)

    async def rebuild_lexicon(self) -> None:
        """Build the word index again from the stored text."""
        async with self._writing():
            await to_its_end(asyncio.to_thread(self._catalog.rebuild_lexicon))

    async def file_faults(self) -> list[str]:
        """What SQLite's own check finds wrong with the catalog's file."""
        return await asyncio.to_thread(self._catalog.file_faults)

    async def drop_lost_links(self) -> None:
        """Forget how memories stood that are gone, and ids of gone ones where others name them."""
        async with self._writing():
            await to_its_end(asyncio.to_thread(self._catalog.drop_lost_links))


class StrayCueVectors(NamedTuple):
    """Where catalog and vectors of cues do not fit together."""

    missing: Mapping[str, str]
    """{cue id: text} of cues without a vector."""
    orphans: Sequence[str]
    """Ids of vectors without a cue."""


class CueMaintenance:
    """Compares the vectors of cues with the catalog, and mends them."""

    def __init__(
        self,
        catalog: Catalog,
        index: VectorIndex,
        *,
        writing: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        """`writing` is a block in which no other process writes."""
        self._catalog, self._index, self._writing = catalog, index, writing

    async def strays(self) -> StrayCueVectors:
        """What is missing and what is too much.

        Raises:
            CorruptStoreError: the vectors cannot be read.
        """
        if not await self._catalog.aread(has_cue_vectors):
            return StrayCueVectors({}, [])
        known = await self._catalog.aread(cues.ids)
        present = await self._index.ids()
        missing = sorted(known - present)
        texts = await self._catalog.aread(cues.texts, missing)
        return StrayCueVectors(texts, sorted(present - known))

    async def drop_vectors(self, cue_ids: Sequence[str]) -> None:
        """Remove vectors of cues that are not stored; those of stored ones stay."""
        async with self._writing():
            known = await self._catalog.aread(cues.ids)
            await to_its_end(self._index.remove([i for i in cue_ids if i not in known]))

    async def put_vectors(self, cue_ids: Sequence[str], vectors: Vectors) -> None:
        """Put vectors of stored cues that lack theirs; those of cues gone since are left out."""
        async with self._writing():
            known = await self._catalog.aread(cues.ids)
            rows = [row for row, one in enumerate(cue_ids) if one in known]
            if rows:
                stored = [cue_ids[row] for row in rows]
                await to_its_end(self._index.upsert(stored, vectors[rows]))
