"""Reads the memories of one entity: searches, look-ups, and validity."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TypeVar

from secondhop.errors import CorruptStoreError, StoreError, UnknownEntityError, UsageError
from secondhop.stores.catalog import reads, stored_ids, word_search
from secondhop.stores.catalog.briefing import BriefingView
from secondhop.stores.catalog.catalog import Catalog, Identity, by_reading
from secondhop.stores.catalog.keeping import KeepingView, rivals_of
from secondhop.stores.in_a_thread import in_a_thread
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import (
    Memory,
    MemoryCard,
    Passage,
    PassageHit,
    Standing,
    StoreCounts,
    Vector,
    Vectors,
)
from secondhop.stores.vectors.place import identity_at
from secondhop.stores.vectors.stored_hits import nearest_stored
from secondhop.stores.where import Where
from secondhop.telemetry import search_span

T = TypeVar("T")

MOST_KNOWN_VECTORS = 4_096
"""The most cached vectors of one entity, about 6 MB. Beyond that, the oldest go."""


class EntityReader:
    """`MemorySearch`, `MemoryReader` and `MemoryKeeping` of one entity. Writes nothing."""

    def __init__(self, catalog: Catalog, index: VectorIndex, *, identity: Identity) -> None:
        """Opens nothing yet."""
        self.identity = identity
        self._catalog, self._index = catalog, index
        self._known_vectors: dict[str, Vector] = {}
        """{passage id: its vector}: a cache."""
        self.cure = "`secondhop reindex` rebuilds the vectors"
        """What messages advise if vectors are missing. `StoreDirectory` adds the store's name."""

    # --- MemorySearch ---

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """See `MemorySearch`.

        Raises:
            UsageError: the queries have another dimension than the store.
            CorruptStoreError: passages are stored, but the index finds none.
        """
        if queries.ndim != 2 or queries.shape[1] != self.identity.dimension:
            raise UsageError(
                f"queries of shape {queries.shape} for a store of dimension "
                f"{self.identity.dimension}; embed them with {self.identity.embedder_id}"
            )
        if not len(queries):
            return [[] for _ in queries]
        with search_span("passages", len(queries)) as span:
            hits = await nearest_stored(
                self._index,
                queries,
                k=k,
                catalog=self._catalog,
                owners=stored_ids.owners,
                as_hit=PassageHit,
            )
            span.found_by_queries(hits)
        if not any(hits):
            await self._expect_nothing(queries)
        return hits

    async def lexical(
        self, queries: Sequence[str], *, k: int, memory_ids: Sequence[str] | None = None
    ) -> list[list[PassageHit]]:
        """See `MemorySearch`."""
        with search_span("words", len(queries)) as span:
            hits = await self._catalog.aread(
                word_search.best_by_words, queries, k=k, memory_ids=memory_ids
            )
            span.found_by_queries(hits)
        return hits

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `MemorySearch`."""
        known = self._known_vectors
        found = {one: known[one] for one in passage_ids if one in known}
        missing = [one for one in passage_ids if one not in found]
        if missing:
            fetched = await self._index.fetch(missing)
            # copies: a row of a matrix would keep the whole of it in memory
            known.update({one: vector.copy() for one, vector in fetched.items()})
            for one in list(islice(known, max(0, len(known) - MOST_KNOWN_VECTORS))):
                known.pop(one, None)
            found |= fetched
        return {one: found[one] for one in passage_ids if one in found}

    # --- MemoryReader ---

    async def cards(self, memory_ids: Sequence[str]) -> dict[str, MemoryCard]:
        """See `MemoryReader`."""
        return await self._catalog.known.of(reads.cards, memory_ids)

    passages = by_reading(reads.passages)
    passage_ids = by_reading(reads.passage_ids)
    memory = by_reading(reads.shown_memory)
    whole = by_reading(reads.whole)
    page = by_reading(reads.shown_page)
    tags = by_reading(reads.tags)
    origins = by_reading(reads.origins)
    dates = by_reading(reads.dates)
    content_hashes = by_reading(reads.content_hashes)

    def stored(self, memory_ids: Sequence[str]) -> list[str]:
        """Which of these memories are stored. Blocks."""
        return self._catalog.read(stored_ids.stored, memory_ids)

    def pages(self) -> AsyncIterator[list[tuple[Memory, tuple[Passage, ...]]]]:
        """All memories by id, each with its passages; a page is in RAM at a time."""
        return self._catalog.pages()

    # --- the status of memories ---

    async def look(self, view: Callable[[KeepingView], T]) -> T:
        """What `view` returns when it is given the status of memories."""
        return await self._catalog.aread(lambda connection: view(KeepingView(connection)))

    async def brief(
        self, look: Callable[[BriefingView], T], *, now: datetime, until: datetime | None
    ) -> T:
        """What `look` returns when it is given what a briefing may show at these moments."""
        return await self._catalog.aread(
            lambda connection: look(BriefingView(connection, now=now, until=until))
        )

    keepings = by_reading(reads.keepings)

    async def standing(
        self, *, until: datetime | None = None, where: Where | None = None
    ) -> Standing:
        """See `MemoryKeeping`."""
        if until is None and where is None:
            return (await self._catalog.known.whole(reads.at_first)).standing
        return await self._catalog.aread(reads.standing, until=until, where=where)

    async def rivals(self, memory_ids: Sequence[str]) -> Mapping[str, Sequence[Memory]]:
        """{id of a fact: that fact, then others with its subject and attribute, oldest first}."""
        return await self.look(partial(rivals_of, memory_ids))

    async def is_empty(self) -> bool:
        """Whether no memory is stored, whatever the index holds."""
        return await self._catalog.known.whole(reads.is_empty)

    async def counts(self) -> StoreCounts:
        """What is stored now."""
        exists = await asyncio.to_thread(self._catalog.exists)
        return await self._catalog.aread(
            reads.counts,
            vectors=await self._index.count() if exists else 0,
            schema_version=self._catalog.database.newest,
            embedder=self.identity.embedder_id,
        )

    async def file_faults(self) -> list[str]:
        """Problems that the database's own check finds in the catalog."""
        if not await asyncio.to_thread(self._catalog.exists):
            return []
        return await asyncio.to_thread(self._catalog.database.faults)

    async def _expect_nothing(self, queries: Vectors) -> None:
        """Raise unless an empty answer was right: nothing was stored at the time of the search.

        A first put may have ended since, so the index is asked again.
        """
        if not await asyncio.to_thread(self._catalog.passage_count):
            return
        await self._expect_same_vectors()
        if not any(await self._index.nearest(queries, k=1)):
            raise CorruptStoreError(
                f"memories of entity {self.identity.entity!r} are stored, but none of their "
                f"vectors can be found; {self.cure}"
            )

    @in_a_thread
    def is_outdated(self) -> bool:
        """Whether it must be opened again: another process has deleted the entity, or moved its
        vectors."""
        found = self._catalog.found_identity()
        return self._catalog.birth is not None if found is None else found != self.identity

    @in_a_thread
    def _expect_same_vectors(self) -> Identity | None:
        """The catalog's identity; None if there is no catalog.

        Raises:
            UnknownEntityError: since this was opened, the entity was deleted.
            StoreError: since this was opened, a reindex or a first put has moved the vectors.
        """
        found = self._catalog.found_identity()
        if found is None and self._catalog.birth is not None:
            raise UnknownEntityError(
                self.identity.entity,
                store=self._catalog.database.name,
                cure="it was deleted since it was opened; open it again to store something new",
            )
        if found is None:
            return None
        if found != self.identity:
            raise StoreError(
                f"entity {self.identity.entity!r} was reindexed since it was opened; open it again"
            )
        if self.identity.server is not None:
            identity_at(self.identity.server, self._catalog)
        return found
