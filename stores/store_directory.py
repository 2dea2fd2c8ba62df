"""A store, and how to reach one entity in it."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace
from pathlib import Path

from secondhop.errors import CorruptStoreError, EmbedderMismatchError, StoreError, UsageError
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.in_a_thread import in_a_thread
from secondhop.stores.locks import to_its_end, writer_turn
from secondhop.stores.old_lessons import drop_old_lessons
from secondhop.stores.rebuild_command import mend_command, rebuild_advice
from secondhop.stores.reindex import EntityVectors, Reindex
from secondhop.stores.store_address import expect_possible, is_address
from secondhop.stores.store_place import StorePlace
from secondhop.stores.vectors.place import identity_at, place_of

_LOCK_TIMEOUT_S = 30.0
_log = logging.getLogger(__name__)

GENERATIONS = 32
"""How many generations of vectors are deleted if a damaged catalog cannot name the current one."""


class StoreDirectory:
    """One store: a folder or a PostgreSQL database, with vectors there or on a Chroma server."""

    def __init__(self, store: str | Path, *, chroma_url: str | None = None) -> None:
        """`store`: a folder, or postgresql://USER@HOST:PORT/DATABASE. See `place_of_store`."""
        self.place = place_of_store(store, chroma_url=chroma_url)
        """Opens the other parts of an entity: counters, sessions, traces."""
        self._vectors_at = place_of(chroma_url)

    @property
    def name(self) -> str:
        """Its name in messages, without a password."""
        return self.place.name

    @property
    def path(self) -> Path:
        """The folder of its files."""
        return self.place.folder

    async def open_entity(
        self, entity: str, *, embedder_id: str, dimension: int, mending: bool = False
    ) -> EntityStore:
        """The store of one entity; creates nothing before the first put.

        Args:
            mending: open it even if vectors are missing, to put them back.

        Raises:
            UsageError: the name is empty, too long, or not valid Unicode.
            EmbedderMismatchError: its vectors come from another model.
            SchemaVersionError: written by a newer secondhop.
            UnfinishedIndexError: a killed process left its vectors half written;
                `secondhop.opening.open_entity` rebuilds them.
            VectorsElsewhereError: its vectors are on a server but none is named, or the reverse.
            CorruptStoreError: its vectors are missing or cannot be read.
        """
        identity = Identity(
            entity=entity, embedder_id=embedder_id, dimension=dimension, server=self._vectors_at
        )
        catalog = self.place.catalog(entity)
        try:
            identity = await asyncio.to_thread(self._checked, catalog, identity)
            vectors = self._both(identity)
            store = EntityStore(
                catalog,
                vectors.passages,
                identity=identity,
                lock=self.place.lock(entity),
                cue_index=vectors.cues,
                before_first_put=lambda: self._found_store(identity),
            )
            mend = mend_command(self.name, entity=entity, server=self.place.server)
            rebuild = rebuild_advice(self.name, entity=entity, server=self.place.server)
            store.cure = f"{mend} embeds what is missing, and {rebuild}"
            await store.open(mending=mending)
            lessons = self.path / "entities" / entity_slug(entity) / "learning.db"
            if lessons.exists():
                await drop_old_lessons(lessons, store)
        except BaseException:
            catalog.close()
            raise
        return store

    def entities(self, *, filled: bool = False) -> list[str]:
        """Sorted names of the stored entities; with `filled`, only of those with a memory."""
        return sorted(identity.entity for identity in self._identities(filled=filled))

    async def delete_entity(self, entity: str) -> bool:
        """Delete everything of an entity. Returns whether it had a catalog.

        Raises:
            StoreError: see `expect_vectors`; nothing was deleted.
        """
        if not await asyncio.to_thread(self.place.holds, entity):
            return False
        await self.expect_vectors(entity)
        async with writer_turn(self.place.lock(entity), timeout_s=_LOCK_TIMEOUT_S):
            return await to_its_end(self._delete(entity))

    @in_a_thread
    def expect_vectors(self, entity: str) -> None:
        """Raise if deleting the entity here would leave its vectors behind.

        Raises:
            VectorsElsewhereError: they are on a server but none is named, or the reverse.
        """
        # a damaged catalog must not prevent the deletion of its text
        with closing(self.place.catalog(entity)) as catalog, suppress(CorruptStoreError):
            if catalog.exists():
                identity_at(self._vectors_at, catalog)

    @asynccontextmanager
    async def reindexing(
        self, entity: str, *, embedder_id: str, dimension: int, may_delete_unreadable: bool = True
    ) -> AsyncGenerator[Reindex, None]:
        """A block that rebuilds an entity's vectors in a new collection.

        Nothing changes until `Reindex.finish`. A block that ends without it deletes the new
        vectors, and a rerun starts over. If the vectors cannot be read at all, those of every
        entity are deleted: each entity then needs its own reindex. Other writers wait until the
        block ends.

        Raises:
            StoreError: nothing is stored for the entity, or another process writes.
            CorruptStoreError: the vectors cannot be read and may not be deleted.
        """
        catalog = self.place.catalog(entity)
        async with writer_turn(self.place.lock(entity), timeout_s=_LOCK_TIMEOUT_S):
            try:
                old = await asyncio.to_thread(self._prepare_reindex, catalog, entity)
                new = replace(
                    old,
                    embedder_id=embedder_id,
                    dimension=dimension,
                    generation=old.generation + 1,
                    server=self._vectors_at,
                )
                await self._make_room(new, may_delete_unreadable=may_delete_unreadable)
                reindex = Reindex(
                    catalog=catalog,
                    old=self._both(old),
                    new=self._both(new),
                    identity=new,
                    finished=self._adopt_embedder,
                )
                try:
                    yield reindex
                finally:
                    if not reindex.is_done:
                        await self._both(new).drop()
            finally:
                await asyncio.to_thread(catalog.close)

    async def aclose(self) -> None:
        """Close the place, unless another part of this process still uses it.

        The caller closes entity stores.
        """
        await asyncio.to_thread(self.place.close)

    # --- blocking parts, for worker threads ---

    def _checked(self, catalog: Catalog, wanted: Identity) -> Identity:
        """The catalog's identity; `wanted` if nothing is stored."""
        self.place.finish_erasing()
        manifest = self.place.manifest()
        if catalog.exists():
            known = catalog.identity()
            self._expect_same_embedder(wanted, known.embedder_id, known.dimension)
            if manifest is None:  # lost, and the names of the collections with it
                self.place.found(known)
            return identity_at(self._vectors_at, catalog)
        if manifest:
            self._expect_same_embedder(wanted, manifest.embedder_id, manifest.dimension)
        return wanted

    def _expect_same_embedder(self, wanted: Identity, embedder_id: str, dimension: int) -> None:
        if (embedder_id, dimension) != (wanted.embedder_id, wanted.dimension):
            raise EmbedderMismatchError(
                built_with=f"{embedder_id} ({dimension} dimensions)",
                opened_with=f"{wanted.embedder_id} ({wanted.dimension} dimensions)",
                store=self.name,
            )

    def _found_store(self, wanted: Identity) -> None:
        found = self.place.found(wanted)
        self._expect_same_embedder(wanted, found.embedder_id, found.dimension)

    def _prepare_reindex(self, catalog: Catalog, entity: str) -> Identity:
        if not catalog.exists():
            raise StoreError(
                f"nothing is stored for entity {entity!r} in {self.name}, so nothing can be "
                f"reindexed; check the entity and --store"
            )
        catalog.upgrade()
        known = catalog.identity()
        self.place.found(known)
        return known

    async def _make_room(self, wanted: Identity, *, may_delete_unreadable: bool) -> None:
        """Delete leftovers where the new vectors go, or all vectors if they cannot be read."""
        try:
            await asyncio.to_thread(self.place.check_vectors)
            await self._drop_around(wanted.generation - 1, wanted)
        except CorruptStoreError as error:
            if not may_delete_unreadable or not await asyncio.to_thread(self.place.delete_vectors):
                raise
            _log.warning("%s; the unreadable vectors of all entities are deleted", error)

    async def _delete(self, entity: str) -> bool:
        catalog = self.place.catalog(entity)
        try:
            existed = await asyncio.to_thread(catalog.exists)
            if existed:
                identity = await asyncio.to_thread(catalog.identity)
                await self._drop_around(identity.generation, identity)
                vectors = self._both(identity)
                await vectors.drop()
                await vectors.passages.compact()
        except CorruptStoreError as error:
            # damage must not prevent the deletion of the text
            _log.warning("deleting what is left of a damaged entity: %s", error)
            existed = True
            await self._drop_every(entity)
        finally:
            catalog.close()
        await asyncio.to_thread(self.place.erase, entity)
        return existed

    async def _drop_every(self, entity: str) -> None:
        """Drop all collections of an entity whose catalog cannot tell which one it uses."""
        unknown = Identity(entity=entity, embedder_id="", dimension=0)
        with suppress(CorruptStoreError):
            for generation in range(1, GENERATIONS + 1):
                await self._both(replace(unknown, generation=generation)).drop()

    async def _drop_around(self, generation: int, identity: Identity) -> None:
        """Drop what a killed reindex left in the generations before and after this one."""
        for beside in (generation - 1, generation + 1):
            if beside > 0:
                await self._both(replace(identity, generation=beside)).drop()

    def _adopt_embedder(self, identity: Identity) -> None:
        """Let new entities use the new model once every stored entity uses it."""
        manifest = self.place.manifest()
        if manifest is None or manifest.embedder_id == identity.embedder_id:
            return
        if all(one.embedder_id == identity.embedder_id for one in self._identities()):
            self.place.replace_manifest(
                replace(manifest, embedder_id=identity.embedder_id, dimension=identity.dimension)
            )

    def _identities(self, *, filled: bool = False) -> Iterator[Identity]:
        for catalog in self.place.catalogs():
            with closing(catalog):
                if catalog.exists() and not (filled and catalog.is_empty()):
                    yield catalog.identity()

    def _both(self, identity: Identity) -> EntityVectors:
        return EntityVectors(
            passages=self.place.vectors(identity),
            cues=self.place.vectors(identity, ending=".cues"),
        )


def place_of_store(store: str | Path, *, chroma_url: str | None) -> StorePlace:
    """The place of a store. Connects to nothing and creates nothing.

    Raises:
        StoreError: there can be no folder at this path.
        UsageError: the address cannot hold a store, or psycopg is not installed.
    """
    expect_possible(store)
    if is_address(store):
        try:
            from secondhop.stores.postgres.place import PostgresPlace
        except ImportError as error:
            raise UsageError(
                "a store in PostgreSQL needs psycopg; install it: "
                "pip install '/path/to/the/checkout[postgres]'"
            ) from error
        return PostgresPlace(str(store), chroma_url=chroma_url)
    from secondhop.stores.folder_place import FolderPlace

    return FolderPlace(Path(os.path.expanduser(store)), chroma_url=chroma_url)
