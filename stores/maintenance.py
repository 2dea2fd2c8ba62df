"""Checks and repairs vectors, for `doctor` and whenever a store is opened.

Recall and ingest use `EntityStore`, which never shows them a half-stored memory.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from secondhop.stores.catalog import stored_ids
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.database import Connection
from secondhop.stores.locks import to_its_end
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Vectors

Writing: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""A block in which no other process writes."""
_REMOVED_AT_ONCE = 5_000


class Strays(NamedTuple):
    """The differences between catalog and vectors."""

    missing: Sequence[str]
    """Stored ids without a vector, sorted."""
    orphans: Sequence[str]
    """Ids of vectors that belong to nothing stored, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorMaintenance:
    """Compares the vectors of passages, or of cues, with the catalog and repairs them."""

    catalog: Catalog
    index: VectorIndex
    of: stored_ids.Embedded
    writing: Writing
    begun: Callable[[Connection], bool] = lambda _: True
    """Whether vectors were ever put. If not, the index is not read."""

    async def strays(self) -> Strays:
        """The differences between catalog and vectors.

        Raises:
            CorruptStoreError: the vectors cannot be read.
        """
        if not await self.catalog.aread(self.begun):
            return Strays([], [])
        stored = await self.catalog.aread(stored_ids.ids, self.of)
        present = await self.index.ids()
        return Strays(sorted(stored - present), sorted(present - stored))

    async def drop_orphans(self) -> int:
        """Remove orphans, unless vectors are missing. Returns how many are missing.

        The caller holds the writer's lock. Usually this only compares two counts.
        """
        expected = await self.catalog.aread(self._expected)
        if expected is None or expected == await self.index.count():
            return 0
        strays = await self.strays()
        for start in range(0, 0 if strays.missing else len(strays.orphans), _REMOVED_AT_ONCE):
            await self.index.remove(strays.orphans[start : start + _REMOVED_AT_ONCE])
        return len(strays.missing)

    def _expected(self, connection: Connection) -> int | None:
        """How many vectors there must be; None if none was ever put."""
        return stored_ids.count(connection, self.of) if self.begun(connection) else None

    async def drop(self, ids: Sequence[str]) -> None:
        """Remove those of these vectors that belong to nothing stored."""
        async with self.writing():
            stored = await self.catalog.aread(stored_ids.known, ids, self.of)
            await to_its_end(self.index.remove([one for one in ids if one not in stored]))

    async def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Put missing vectors; those of passages or cues that are gone are left out.

        Args:
            vectors: float32 [n_ids, dim], rows of unit length.
        """
        async with self.writing():
            stored = await self.catalog.aread(stored_ids.known, ids, self.of)
            rows = [row for row, one in enumerate(ids) if one in stored]
            if rows:
                await to_its_end(self.index.upsert([ids[row] for row in rows], vectors[rows]))
