"""Checks and repairs vectors: for `doctor`, and whenever a store is opened.

Recall and ingest never see a half: they use `EntityStore`.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from secondhop.stores.catalog import reads
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.database import Connection
from secondhop.stores.locks import to_its_end
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Vector, Vectors

Writing: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""A block in which no other process writes."""
_REMOVED_AT_ONCE = 5_000


class Strays(NamedTuple):
    """Where catalog and vectors do not fit together."""

    missing: Sequence[str]
    """Ids of what is stored and has no vector; sorted."""
    orphans: Sequence[str]
    """Ids of vectors of what is not stored; sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorMaintenance:
    """Holds the vectors of passages, or of cues, against the catalog, and mends them."""

    catalog: Catalog
    index: VectorIndex
    of: reads.Embedded
    writing: Writing
    begun: Callable[[Connection], bool] = lambda _: True
    """Whether vectors were ever put: else the index is not looked at."""

    async def ids(self) -> set[str]:
        """Of all vectors."""
        return await self.index.ids()

    async def fetch(self, ids: Sequence[str]) -> dict[str, Vector]:
        """As the index has them now, whatever this process remembers."""
        return await self.index.fetch(ids)

    async def strays(self) -> Strays:
        """What is missing and what is too much.

        Raises:
            CorruptStoreError: the vectors cannot be read.
        """
        if not await self.catalog.aread(self.begun):
            return Strays([], [])
        stored = await self.catalog.aread(reads.ids, self.of)
        present = await self.index.ids()
        return Strays(sorted(stored - present), sorted(present - stored))

    async def missing(self) -> int:
        """How many vectors are missing; if none, those that are too many are removed.

        The caller holds the writer's lock. Mostly this only counts.
        """
        expected = await self.catalog.aread(self._expected)
        if expected is None or expected == await self.index.count():
            return 0
        strays = await self.strays()
        for start in range(0, 0 if strays.missing else len(strays.orphans), _REMOVED_AT_ONCE):
            await self.index.remove(strays.orphans[start : start + _REMOVED_AT_ONCE])
        return len(strays.missing)

    def _expected(self, connection: Connection) -> int | None:
        """How many vectors there must be; None where none was ever put."""
        return reads.count(connection, self.of) if self.begun(connection) else None

    async def drop(self, ids: Sequence[str]) -> None:
        """Remove vectors of what is not stored; others stay."""
        async with self.writing():
            stored = await self.catalog.aread(reads.known, ids, self.of)
            await to_its_end(self.index.remove([one for one in ids if one not in stored]))

    async def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Put vectors that are missing; those of what is gone since are left out.

        Args:
            vectors: float32 [n_ids, dim], rows of unit length.
        """
        async with self.writing():
            stored = await self.catalog.aread(reads.known, ids, self.of)
            rows = [row for row, one in enumerate(ids) if one in stored]
            if rows:
                await to_its_end(self.index.upsert([ids[row] for row in rows], vectors[rows]))
