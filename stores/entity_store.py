"""The handle bound to one entity: catalog and vectors as one store.

What is read goes straight to one of them (`EntityReader`); what changes both goes through `Outbox`.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial

from secondhop.errors import CorruptStoreError, StoreFullError
from secondhop.stores.catalog import reads
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import Decision, keep_decided
from secondhop.stores.catalog.notes import has_cue_vectors, note_learning
from secondhop.stores.catalog.versions import add_earlier
from secondhop.stores.catalog.writes import retag
from secondhop.stores.entity_cues import EntityCues
from secondhop.stores.entity_reader import EntityReader
from secondhop.stores.erasure import MemoryErasure
from secondhop.stores.locks import (
    Lock,
    to_its_end,
    try_hold,
    writer_turn,
)
from secondhop.stores.maintenance import VectorMaintenance
from secondhop.stores.memory_map import MemoryMap
from secondhop.stores.open_files import files_left
from secondhop.stores.outbox import Outbox, checked
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import (
    EarlierText,
    EmbeddedMemory,
    Topic,
)
from secondhop.stores.vectors.memory_index import MemoryIndex

_log = logging.getLogger(__name__)


class EntityStore(EntityReader):
    """What is stored for one entity: searched, read and written; its `cues` are a `CueSearch`."""

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
        super().__init__(catalog, index, identity=identity)
        self._lock = lock
        self._before_first_put = before_first_put
        cue_index = cue_index or MemoryIndex()
        self._outbox = Outbox(
            catalog, index, cue_index=cue_index, cache=self._cache, identity=identity
        )
        self.map = MemoryMap(catalog, index)
        held = partial(VectorMaintenance, catalog=catalog, writing=self._writing)
        self.passage_vectors = held(index=index, of=reads.PASSAGES)
        self.cue_vectors = held(index=cue_index, of=reads.CUES, begun=has_cue_vectors)
        """To be checked and repaired."""
        self.erasure = MemoryErasure(
            catalog,
            index,
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
                    await to_its_end(self.cues.check(self.cue_vectors, cure=self.cure))
            except StoreFullError as error:
                # reading needs no space, and what is left over is never shown
                _log.warning("leftovers stay for now: %s", error)

    async def aclose(self) -> None:
        """Close the catalog's connections."""
        await asyncio.to_thread(self._catalog.close)

    # --- MemoryReader ---

    async def topics(self) -> Sequence[Topic]:
        """See `MemoryReader`; writes nothing."""
        return await self.map.topics()

    async def let_learn(self, *, on: bool) -> None:
        """Whether sessions may write cues; it may be said before the first memory is stored."""
        async with self._writing():
            await to_its_end(self._let_learn(on))

    # --- writing: all or nothing a memory, and durable when it returns ---

    async def put(self, memories: Sequence[EmbeddedMemory]) -> None:
        """Store or replace; of two versions of one memory the later one is stored.

        After it returns they are found; killed before, none is half there. A replaced text is kept
        apart, out of every search, unless the new one begins with it.

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
        """
        wanted = checked([embedded], dimension=self.identity.dimension)
        async with self._writing():
            await to_its_end(self._put(wanted, decide=decide))

    async def change(self, decide: Decision) -> None:
        """Change how memories stand; what `decide` raises leaves everything as it was."""
        async with self._writing():
            await self._catalog.awrite(keep_decided, decide)

    async def add_earlier(self, texts: Sequence[EarlierText]) -> None:
        """Keep what memories said before, the oldest first, of stored ones that have none yet."""
        async with self._writing():
            await self._catalog.awrite(add_earlier, texts)

    async def retag(self, tags: Mapping[str, Sequence[str]]) -> None:
        """Put these tags in the place of those that stored memories have; texts stay."""
        if await asyncio.to_thread(self._catalog.exists):
            async with self._writing():
                await self._catalog.awrite(retag, tags)

    async def delete(self, memory_ids: Sequence[str]) -> int:
        """Delete with passages, index rows and vectors; the number that existed."""
        if not memory_ids or not await asyncio.to_thread(self._catalog.exists):
            return 0
        async with self._writing():
            return await to_its_end(self._outbox.delete(memory_ids))

    def _now(self) -> datetime:
        return self.clock()

    # --- inside the writer's lock ---

    async def _put(
        self, memories: Sequence[EmbeddedMemory], *, decide: Decision | None = None
    ) -> None:
        await self._expect_catalog()
        await self._outbox.put(memories, at=self.clock(), decide=decide)
        self.after_put()

    async def _let_learn(self, on: bool) -> None:
        await self._expect_catalog()
        await self._catalog.awrite(note_learning, on=on)

    async def _expect_catalog(self) -> None:
        if not await asyncio.to_thread(self._catalog.exists):
            await asyncio.to_thread(self._before_first_put)
            await asyncio.to_thread(self._catalog.create, self.identity)

    async def _expect_all_vectors(self) -> None:
        if missing := await self.passage_vectors.missing():
            expected = await asyncio.to_thread(self._catalog.passage_count)
            raise CorruptStoreError(
                f"{missing} of {expected} passage vectors of entity {self.identity.entity!r} are "
                f"missing; the memories are safe: {self.cure}"
            )

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator[None, None]:
        async with writer_turn(self._lock, timeout_s=self.lock_timeout_s):
            found = await self._expect_same_vectors()
            if found is not None and self.identity.server not in (None, found.server):
                await asyncio.to_thread(self._catalog.adopt, self.identity)
            with files_left():
                yield
