"""The handle of one entity: its catalog and its vectors as one store.

Reads go straight to one of them (`EntityReader`). Changes to both go through `Outbox`.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial

from secondhop.errors import CorruptStoreError, StoreFullError
from secondhop.stores.catalog import reads, stored_ids
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import Decision, keep_decided
from secondhop.stores.catalog.notes import has_cue_vectors, note_learning
from secondhop.stores.catalog.versions import add_earlier
from secondhop.stores.entity_cues import EntityCues
from secondhop.stores.entity_reader import EntityReader
from secondhop.stores.erasure import MemoryErasure
from secondhop.stores.locks import Lock, to_its_end, try_hold, writer_turn
from secondhop.stores.maintenance import VectorMaintenance
from secondhop.stores.memory_map import MemoryMap
from secondhop.stores.open_files import files_left
from secondhop.stores.outbox import Outbox, checked
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import EarlierText, EmbeddedMemory, Topic

_log = logging.getLogger(__name__)


class EntityStore(EntityReader):
    """Searches, reads and writes the memories of one entity; its `cues` are a `CueSearch`."""

    def __init__(
        self,
        catalog: Catalog,
        index: VectorIndex,
        *,
        identity: Identity,
        lock: Lock,
        cue_index: VectorIndex,
        before_first_put: Callable[[], None] = lambda: None,
    ) -> None:
        """`lock` is held while writing."""
        super().__init__(catalog, index, identity=identity)
        self._lock, self._forgetting_lock = lock, lock.for_forgetting()
        self._before_first_put = before_first_put
        self._outbox = Outbox(catalog, index, cue_index=cue_index, identity=identity)
        self.map = MemoryMap(catalog, index)
        held = partial(VectorMaintenance, catalog=catalog, writing=self._writing)
        self.passage_vectors = held(index=index, of=stored_ids.PASSAGES)
        self.cue_vectors = held(index=cue_index, of=stored_ids.CUES, begun=has_cue_vectors)
        """Check and repair `index` and `cue_index`."""
        self.erasure = MemoryErasure(
            catalog,
            index,
            cue_index=cue_index,
            delete=self.delete,
            writing=self._writing,
        )
        """Deletes memories so that no file still holds them."""
        self.clock: Callable[[], datetime] = partial(datetime.now, UTC)
        """The current time, noted with replaced texts and with cues."""
        self.after_put: Callable[[], None] = lambda: None
        """Called after memories were stored; must not block."""
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
        """The cues of the memories, to search, read and write."""

    async def open(self, *, mending: bool = False) -> None:
        """Undo what a killed process left half done, and compare the vectors with the catalog.

        Creates nothing for an entity without memories. While another process writes, its open notes
        are left alone, because they are not leftovers.

        Args:
            mending: open it even if vectors are missing, to put them back (`maintenance`).

        Raises as `StoreDirectory.open_entity`.
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
                # reading needs no writer's lock; the next write will raise the error
                _log.info("leftovers stay for now: %s", error)
                return
            if not locked:
                await self._index.count()  # raises if the vectors cannot be read at all
                return
            try:
                await to_its_end(self._outbox.repair())
                if not mending:
                    await to_its_end(self._expect_all_vectors())
                    await to_its_end(self.cues.check(self.cue_vectors, cure=self.cure))
            except StoreFullError as error:
                # reading needs no disk space, and leftovers are never returned
                _log.warning("leftovers stay for now: %s", error)

    async def aclose(self) -> None:
        """Close the catalog's connections."""
        await asyncio.to_thread(self._catalog.close)

    # --- MemoryReader ---

    async def topics(self) -> Sequence[Topic]:
        """See `MemoryReader`; writes nothing."""
        return await self.map.topics()

    async def let_learn(self, *, on: bool) -> None:
        """Set whether sessions may write cues, even before the first memory is stored."""
        async with self._writing():
            await to_its_end(self._expect_catalog())
            await self._catalog.awrite(note_learning, on=on)

    # --- writing: all or nothing for each memory, and durable on return ---

    async def put(
        self, memories: Sequence[EmbeddedMemory], *, decide: Decision | None = None
    ) -> set[str]:
        """Store or replace memories. If an id occurs twice, the later version is stored. Returns
        the ids of those that were stored with the same content before.

        On return they can be found. If the process is killed before, no memory is half stored. A
        replaced text is kept apart, out of every search, unless the new text begins with it.

        Args:
            decide: says which statuses change with it, while no other process writes. If it raises,
                nothing changes.

        Raises:
            UsageError: a memory is not valid (`outbox.checked`); nothing was stored.
            StoreFullError: no space is left; nothing was stored.
        """
        wanted = checked(memories, dimension=self.identity.dimension)
        if not wanted:
            return set()
        async with self._writing():
            stored = await self._catalog.aread(reads.unchanged, [one.memory for one in wanted])
            await to_its_end(self._put(wanted, decide=decide))
        return stored

    async def change(self, decide: Decision) -> None:
        """Change the status of memories. If `decide` raises, nothing changes."""
        async with self._writing():
            await self._catalog.awrite(keep_decided, decide)

    async def add_earlier(self, texts: Sequence[EarlierText]) -> None:
        """Add earlier texts, oldest first, to stored memories that have none yet."""
        async with self._writing():
            await self._catalog.awrite(add_earlier, texts)

    async def delete(self, memory_ids: Sequence[str]) -> int:
        """Delete memories with passages, index rows and vectors. Returns how many existed."""
        if not memory_ids or not await asyncio.to_thread(self._catalog.exists):
            return 0
        async with self._writing():
            existed = await to_its_end(self._outbox.delete(memory_ids))
            self._known_vectors.clear()
            return existed

    @asynccontextmanager
    async def forgetting(self, *, timeout_s: float | None = None) -> AsyncGenerator[None, None]:
        """A block in which nobody else, here or elsewhere, forgets memories of this entity.

        Raises:
            StoreBusyError: another process is forgetting for longer than `timeout_s`; default
                `lock_timeout_s`.
        """
        patience = self.lock_timeout_s if timeout_s is None else timeout_s
        async with AsyncExitStack() as held:
            if await asyncio.to_thread(self._catalog.exists):
                doing = "forgetting memories of"
                turn = writer_turn(self._forgetting_lock, timeout_s=patience, doing=doing)
                await held.enter_async_context(turn)
            yield

    def _now(self) -> datetime:
        return self.clock()

    # --- inside the writer's lock ---

    async def _put(self, memories: Sequence[EmbeddedMemory], *, decide: Decision | None) -> None:
        await self._expect_catalog()
        await self._outbox.put(memories, at=self.clock(), decide=decide)
        self._known_vectors.clear()
        self.after_put()

    async def _expect_catalog(self) -> None:
        if not await asyncio.to_thread(self._catalog.exists):
            await asyncio.to_thread(self._before_first_put)
            await asyncio.to_thread(self._catalog.create, self.identity)

    async def _expect_all_vectors(self) -> None:
        if missing := await self.passage_vectors.drop_orphans():
            expected = await asyncio.to_thread(self._catalog.passage_count)
            raise CorruptStoreError(
                f"{missing} of {expected} passage vectors of entity {self.identity.entity!r} are "
                f"missing; the memories are safe: {self.cure}"
            )

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator[None, None]:
        await asyncio.to_thread(self._catalog.exists)  # a store that is gone gets no lock's file
        async with writer_turn(self._lock, timeout_s=self.lock_timeout_s):
            found = await self._expect_same_vectors()
            if found is not None and self.identity.server not in (None, found.server):
                await asyncio.to_thread(self._catalog.adopt, self.identity)
            with files_left():
                yield
