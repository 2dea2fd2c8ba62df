"""The handle bound to one entity: catalog and vectors as one store.

What is read goes straight to one of them; what changes both goes through `Outbox`.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from secondhop.errors import CorruptStoreError, StoreError, StoreFullError, UsageError
from secondhop.stores.catalog import reads
from secondhop.stores.catalog.briefing import BriefingView
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import Decision, KeepingView, keep_decided, rivals_of
from secondhop.stores.catalog.notes import has_cue_vectors, write_settings
from secondhop.stores.catalog.versions import add_earlier
from secondhop.stores.catalog.writes import retag
from secondhop.stores.entity_cues import EntityCues
from secondhop.stores.erasure import MemoryErasure
from secondhop.stores.joint_puts import JointPuts, Put
from secondhop.stores.keeping import Keepings
from secondhop.stores.locks import (
    Lock,
    queue_for,
    to_its_end,
    try_hold,
    writer_turn,
)
from secondhop.stores.maintenance import StoreMaintenance, VectorMaintenance
from secondhop.stores.memory_map import MemoryMap
from secondhop.stores.open_files import files_left
from secondhop.stores.outbox import Outbox, checked
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import (
    EarlierText,
    EmbeddedMemory,
    Memory,
    MemoryCard,
    Passage,
    PassageHit,
    Standing,
    StoreCounts,
    Topic,
    Vector,
    Vectors,
)
from secondhop.stores.vectors.memory_index import MemoryIndex
from secondhop.stores.vectors.place import identity_at
from secondhop.stores.vectors.stored_hits import VectorCache, nearest_stored
from secondhop.stores.where import Where
from secondhop.telemetry import search_span

T = TypeVar("T")

_log = logging.getLogger(__name__)


class EntityStore:
    """`MemorySearch`, `MemoryReader`, `MemoryWriter` and `SettingsKeeping` of one entity; its
    `cues` are a `CueSearch`."""

    def __init__(
        self,
        catalog: Catalog,
        index: VectorIndex,
        *,
        identity: Identity,
        lock: Lock,
        cue_index: VectorIndex | None = None,
        before_first_put: Callable[[], None] = lambda: None,
    ) -> None:
        """Take the parts as they are.

        Args:
            lock: held by who writes to this entity.
            cue_index: the vectors of cues; default in memory.
        """
        self.identity = identity
        self._catalog = catalog
        self._index = index
        self._lock = lock
        self._before_first_put = before_first_put
        self._cache = VectorCache()
        cue_index = cue_index or MemoryIndex()
        self._outbox = Outbox(
            catalog, index, cue_index=cue_index, cache=self._cache, identity=identity
        )
        self._joint_puts = JointPuts(writing=self._writing, store=self._put_together)
        self.map = MemoryMap(catalog, index)
        held = partial(VectorMaintenance, catalog=catalog, writing=self._writing)
        self.maintenance = StoreMaintenance(
            catalog=catalog,
            passages=held(index=index, of=reads.PASSAGES),
            cues=held(index=cue_index, of=reads.CUES, begun=has_cue_vectors),
            writing=self._writing,
        )
        """Checks and repairs."""
        self.erasure = MemoryErasure(
            catalog,
            index,
            self.map,
            cue_index=cue_index,
            delete=self.delete,
            writing=self._writing,
        )
        """Deletes memories so that no file holds them."""
        self.clock: Callable[[], datetime] = partial(datetime.now, UTC)
        """When it is: for texts that are replaced."""
        self.after_put: Callable[[], None] = lambda: None
        """Called whenever memories were stored; must not wait."""
        self.lock_timeout_s = 30.0
        """How long a write waits for another process's write."""
        self.cues = EntityCues(
            catalog,
            cue_index,
            outbox=self._outbox,
            dimension=identity.dimension,
            writing=self._writing,
            clock=self._now,
        )
        """What memories were stored for: searched, and written beside the memories."""
        self.cure = "`secondhop reindex` rebuilds the vectors"
        """What messages advise where vectors are missing; the store is named in it."""

    async def open(self, *, mending: bool = False) -> None:
        """Undo what a killed process left half done, and compare the vectors with the catalog.

        Creates nothing for an entity without memories. While another process writes, its open
        notes are not touched: they are no leftovers.

        Args:
            mending: open it also where vectors are missing, to put them back (`maintenance`).

        Raises:
            SchemaVersionError: written by a newer secondhop.
            CorruptStoreError: vectors are missing or cannot be read.
        """
        if not await asyncio.to_thread(self._catalog.exists):
            return
        if await asyncio.to_thread(self._catalog.needs_upgrade):
            _log.info("the catalog of an older secondhop is brought up to date, with its words")
            async with self._writing():
                await asyncio.to_thread(self._catalog.upgrade)
        async with AsyncExitStack() as held:
            try:
                locked = await try_hold(self._lock, held)
            except StoreFullError as error:
                # reading needs no lock of writers; a write raises the error
                _log.info("leftovers stay for now: %s", error)
                return
            if not locked:
                await self._index.count()  # what cannot be read at all is noticed now, too
                return
            try:
                await to_its_end(self._outbox.repair())
                if not mending:
                    await to_its_end(self._expect_all_vectors())
                    await to_its_end(self.cues.check(self.maintenance.cues, cure=self.cure))
            except StoreFullError as error:
                # reading needs no space, and what is left over is never shown
                _log.warning("leftovers stay for now: %s", error)

    async def aclose(self) -> None:
        """Close the catalog's connections."""
        await asyncio.to_thread(self._catalog.close)

    # --- MemorySearch ---

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """See `MemorySearch`.

        Raises:
            UsageError: the queries have another dimension than the store.
            CorruptStoreError: passages are stored, and the index finds none.
        """
        if queries.ndim != 2 or queries.shape[1] != self.identity.dimension:
            raise UsageError(
                f"queries of shape {queries.shape} for a store of dimension "
                f"{self.identity.dimension}; embed them with {self.identity.embedder_id}"
            )
        if k < 1 or not len(queries):
            return [[] for _ in queries]
        with search_span("passages", len(queries)) as span:
            found = await nearest_stored(
                self._index, queries, k=k, catalog=self._catalog, owners=reads.owners
            )
            hits = [[PassageHit(*hit) for hit in ranking] for ranking in found]
            span.found_by_queries(hits)
        if not any(found):
            await self._expect_nothing(queries)
        return hits

    async def lexical(self, queries: Sequence[str], *, k: int) -> list[list[PassageHit]]:
        """See `MemorySearch`."""
        with search_span("words", len(queries)) as span:
            hits = await self._catalog.aread(reads.best_by_words, queries, k=k)
            span.found_by_queries(hits)
        return hits

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `MemorySearch`."""
        found = self._cache.take(passage_ids)
        missing = [one for one in passage_ids if one not in found]
        if missing:
            fetched = await self._index.fetch(missing)
            self._cache.keep(fetched)
            found |= fetched
        return {one: found[one] for one in passage_ids if one in found}

    # --- MemoryReader ---

    async def cards(self, memory_ids: Sequence[str]) -> dict[str, MemoryCard]:
        """See `MemoryReader`."""
        return await asyncio.to_thread(self._catalog.known.of, reads.cards, memory_ids)

    async def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """See `MemoryReader`."""
        return await self._catalog.aread(reads.passages, passage_ids)

    async def passage_ids(self, memory_ids: Sequence[str]) -> dict[str, list[str]]:
        """See `MemoryReader`."""
        return await self._catalog.aread(reads.passage_ids, memory_ids)

    async def memory(self, memory_id: str) -> Memory | None:
        """See `MemoryReader`."""
        return await self._catalog.aread(reads.memory, memory_id)

    async def whole(self, memory_id: str) -> tuple[Memory, tuple[Passage, ...]] | None:
        """A memory with all its passages in order, or None."""
        return await self._catalog.aread(reads.whole, memory_id)

    async def page(self, *, after: str, limit: int) -> list[tuple[Memory, tuple[Passage, ...]]]:
        """The next memories by id, each with its passages."""
        return await self._catalog.aread(reads.page, after=after, limit=limit)

    async def topics(self) -> Sequence[Topic]:
        """See `MemoryReader`; writes nothing."""
        return await self.map.topics()

    # --- SettingsKeeping ---

    async def kept_settings(self) -> Mapping[str, str]:
        """See `SettingsKeeping`."""
        return await asyncio.to_thread(self._catalog.known.whole, reads.settings)

    async def keep_settings(self, changes: Mapping[str, str | None]) -> None:
        """See `SettingsKeeping`; they may be kept before the first memory is."""
        async with self._writing():
            await to_its_end(self._keep_settings(changes))

    # --- MemoryWriter ---

    async def put(self, memories: Sequence[EmbeddedMemory]) -> None:
        """See `MemoryWriter`. Of two versions of one memory the later one is stored.

        Raises:
            UsageError: passages and vectors do not fit together; nothing was stored.
            StoreFullError: no space; complete batches before it are stored, nothing by half.
        """
        wanted = checked(memories, dimension=self.identity.dimension)
        if wanted:
            async with self._writing():
                await to_its_end(self._put(wanted))

    async def put_deciding(self, embedded: EmbeddedMemory, decide: Decision) -> None:
        """Store one memory and change how others stand, both or neither.

        Args:
            decide: runs when no other process writes; what it raises leaves everything as it was.
                Of those stored together it runs again when one raises.
        """
        (wanted,) = checked([embedded], dimension=self.identity.dimension)
        await self._joint_puts.put(wanted, decide)

    async def change(self, decide: Decision) -> None:
        """Change how memories stand; what `decide` raises leaves everything as it was."""
        async with self._writing():
            await self._catalog.awrite(keep_decided, decide)

    async def add_earlier(self, texts: Sequence[EarlierText]) -> None:
        """Keep what memories said before, the oldest first, of stored ones that have none yet."""
        async with self._writing():
            await self._catalog.awrite(add_earlier, texts)

    async def look(self, view: Callable[[KeepingView], T]) -> T:
        """The result of `view` on how memories stand."""
        return await self._catalog.aread(lambda connection: view(KeepingView(connection)))

    async def brief(
        self, look: Callable[[BriefingView], T], *, now: datetime, until: datetime | None
    ) -> T:
        """The result of `look` on what a session start may show; moments as of `BriefingView`."""
        return await self._catalog.aread(
            lambda connection: look(BriefingView(connection, now=now, until=until))
        )

    async def keepings(self) -> Keepings:
        """How memories stand; those that stand as they were stored are left out."""
        return await self._catalog.aread(reads.keepings)

    async def standing(
        self, *, until: datetime | None = None, where: Where | None = None
    ) -> Standing:
        """See `MemoryKeeping`."""
        if until is None and where is None:
            return await asyncio.to_thread(self._catalog.known.whole, reads.standing)
        return await self._catalog.aread(reads.standing, until=until, where=where)

    async def rivals(self, memory_ids: Sequence[str]) -> Mapping[str, Sequence[Memory]]:
        """{id of a fact: itself, then facts of its subject and attribute, the oldest first}."""
        return await self.look(partial(rivals_of, memory_ids))

    async def tags(self) -> Mapping[str, tuple[str, ...]]:
        """See `MemoryWriter`."""
        return await self._catalog.aread(reads.tags)

    async def retag(self, tags: Mapping[str, Sequence[str]]) -> None:
        """See `MemoryWriter`."""
        if await asyncio.to_thread(self._catalog.exists):
            async with self._writing():
                await self._catalog.awrite(retag, tags)

    async def delete(self, memory_ids: Sequence[str]) -> int:
        """See `MemoryWriter`."""
        if not memory_ids or not await asyncio.to_thread(self._catalog.exists):
            return 0
        async with self._writing():
            return await to_its_end(self._outbox.delete(memory_ids))

    async def content_hashes(self, *, origin: str | None = None) -> Mapping[str, str]:
        """See `MemoryWriter`."""
        return await self._catalog.aread(reads.content_hashes, origin=origin)

    async def counts(self) -> StoreCounts:
        """See `MemoryWriter`."""
        exists = await asyncio.to_thread(self._catalog.exists)
        vectors = await self._index.count() if exists else 0
        return await asyncio.to_thread(
            self._catalog.counts, vectors=vectors, embedder=self.identity.embedder_id
        )

    async def refresh_topics(self) -> None:
        """Make the memory map again if the store changed; ingest calls it at its end."""
        async with queue_for(self.map):
            if await self.map.is_outdated():
                async with self._writing():
                    await to_its_end(self.map.refresh())

    def _now(self) -> datetime:
        return self.clock()

    # --- inside the writer's lock ---

    async def _put(
        self, memories: Sequence[EmbeddedMemory], *, decisions: Sequence[Decision] = ()
    ) -> None:
        await self._expect_catalog()
        await self._outbox.put(memories, at=self.clock(), decisions=decisions)
        self.after_put()

    async def _put_together(self, puts: Sequence[Put]) -> None:
        await self._put([put.embedded for put in puts], decisions=[put.decide for put in puts])

    async def _keep_settings(self, changes: Mapping[str, str | None]) -> None:
        await self._expect_catalog()
        await self._catalog.awrite(write_settings, changes)

    async def _expect_catalog(self) -> None:
        if not await asyncio.to_thread(self._catalog.exists):
            await asyncio.to_thread(self._before_first_put)
            await asyncio.to_thread(self._catalog.create, self.identity)

    async def _expect_all_vectors(self) -> None:
        if missing := await self.maintenance.passages.missing():
            expected = await asyncio.to_thread(self._catalog.passage_count)
            raise CorruptStoreError(
                f"{missing} of {expected} passage vectors of entity {self.identity.entity!r} are "
                f"missing; the memories are safe: {self.cure}"
            )

    async def _expect_nothing(self, queries: Vectors) -> None:
        """Nothing was found: right only if nothing is stored (a first put may just have ended)."""
        if not await asyncio.to_thread(self._catalog.passage_count):
            return
        await self._expect_same_vectors()
        if not any(await self._index.nearest(queries, k=1)):
            raise CorruptStoreError(
                f"memories of entity {self.identity.entity!r} are stored, but none of their "
                f"vectors can be found; {self.cure}"
            )

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator[None, None]:
        async with writer_turn(self._lock, timeout_s=self.lock_timeout_s):
            found = await self._expect_same_vectors()
            if found is not None and self.identity.server not in (None, found.server):
                await asyncio.to_thread(self._catalog.adopt, self.identity)
            with files_left():
                yield

    async def _expect_same_vectors(self) -> Identity | None:
        """Who the catalog belongs to, if there is one.

        Raises:
            StoreError: since this was opened, a reindex or a first put has put them elsewhere.
        """
        return await asyncio.to_thread(self._same_vectors)

    def _same_vectors(self) -> Identity | None:
        if not self._catalog.exists():
            return None
        found = self._catalog.identity()
        if found != self.identity:
            raise StoreError(
                f"entity {self.identity.entity!r} was reindexed since it was opened; open it again"
            )
        if self.identity.server is not None:
            identity_at(self.identity.server, self._catalog)
        return found
