"""A store, and how to reach one entity in it."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from secondhop.errors import CorruptStoreError, EmbedderMismatchError, StoreError, UsageError
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import to_its_end, writer_turn
from secondhop.stores.manifest import Manifest
from secondhop.stores.old_lessons import drop_old_lessons
from secondhop.stores.rebuild_command import mend_command, rebuild_advice
from secondhop.stores.reindex import EntityVectors, Reindex
from secondhop.stores.store_address import expect_possible, is_address
from secondhop.stores.store_place import StorePlace
from secondhop.stores.vectors.place import identity_at, place_of

_LOCK_TIMEOUT_S = 30.0
_log = logging.getLogger(__name__)

GENERATIONS = 32
"""Reindexes after which vectors are still found when a damaged catalog cannot tell how many."""


class StoreDirectory:
    """One store: a folder or a PostgreSQL database, and its vectors there or on a Chroma server."""

    def __init__(self, store: str | Path, *, chroma_url: str | None = None) -> None:
        """Creates nothing. `store`: a folder, or postgresql://USER@HOST:PORT/DATABASE.

        Raises:
            StoreError: there can be no store.
        """
        self._place = place_of_store(store, chroma_url=chroma_url)
        self._vectors_at = place_of(chroma_url)

    @property
    def name(self) -> str:
        """What messages call it; no password is in it."""
        return self._place.name

    @property
    def path(self) -> Path:
        """Where its files are."""
        return self._place.folder

    @property
    def place(self) -> StorePlace:
        """What opens the parts of an entity beside its memories."""
        return self._place

    async def open_entity(
        self, entity: str, *, embedder_id: str, dimension: int, mending: bool = False
    ) -> EntityStore:
        """The store of one entity; creates nothing before the first put.

        Args:
            mending: open it also where vectors are missing, to put them back.

        Raises:
            UsageError: the name is empty, too long, or no valid Unicode.
            EmbedderMismatchError: its vectors come from another model.
            SchemaVersionError: written by a newer secondhop.
            UnfinishedIndexError: a killed process left its vectors half written;
                `secondhop.memories.reindex.open_entity` rebuilds them.
            VectorsElsewhereError: its vectors are on a server and none is named, or the reverse.
            CorruptStoreError: its vectors cannot be read.
        """
        identity = Identity(
            entity=entity, embedder_id=embedder_id, dimension=dimension, server=self._vectors_at
        )
        catalog = self._place.catalog(entity)
        try:
            identity = await asyncio.to_thread(self._checked, catalog, identity)
            vectors = self._both(identity)
            store = EntityStore(
                catalog,
                vectors.passages,
                identity=identity,
                lock=self._place.lock(entity),
                cue_index=vectors.cues,
                before_first_put=lambda: self._found_store(identity),
            )
            mend = mend_command(self.name, entity=entity, server=self._place.server)
            store.cure = f"{mend} embeds what is missing, and {self._cure(entity)}"
            await store.open(mending=mending)
            lessons = self.path / "entities" / entity_slug(entity) / "learning.db"
            if lessons.exists():
                await drop_old_lessons(lessons, store)
        except BaseException:
            catalog.close()
            raise
        return store

    def entities(self, *, filled: bool = False) -> list[str]:
        """Names of those with a catalog, sorted; `filled`: only of those with a memory."""
        return sorted(identity.entity for identity in self._place.identities(filled=filled))

    async def delete_entity(self, entity: str) -> bool:
        """Delete everything of an entity; whether there was anything.

        Raises:
            StoreError: as `expect_vectors`; nothing was deleted.
        """
        if not await asyncio.to_thread(self._place.holds, entity):
            return False
        await self.expect_vectors(entity)
        async with writer_turn(self._place.lock(entity), timeout_s=_LOCK_TIMEOUT_S):
            return await to_its_end(self._delete(entity))

    async def expect_vectors(self, entity: str) -> None:
        """Refuse an entity whose vectors would stay behind when it is deleted here.

        Raises:
            VectorsElsewhereError: they are on a server and none is named, or the reverse.
        """
        await asyncio.to_thread(self._expect_vectors, entity)

    async def begin_reindex(
        self, entity: str, *, embedder_id: str, dimension: int, may_delete_unreadable: bool = True
    ) -> Reindex:
        """Start to rebuild an entity's vectors, in a collection of their own.

        Until `finish` everything stays as it was, and a rerun starts afresh. Vectors that cannot
        be read at all, of every entity, are deleted: each entity then needs its own reindex.
        Other writers wait until the reindex ends; use it as `async with`.

        Raises:
            StoreError: nothing is stored for the entity, or another process writes.
            CorruptStoreError: the vectors would have to be deleted, and may not be.
        """
        turn = writer_turn(self._place.lock(entity), timeout_s=_LOCK_TIMEOUT_S)
        await turn.__aenter__()
        catalog = self._place.catalog(entity)
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
        except BaseException:
            catalog.close()
            await turn.__aexit__(None, None, None)
            raise
        return Reindex(
            catalog=catalog,
            old=self._both(old),
            new=self._both(new),
            identity=new,
            turn=turn,
            finished=self._adopt_embedder,
        )

    async def aclose(self) -> None:
        """Close the place, unless someone else in this process has it open, too.

        Close entity stores yourself.
        """
        await asyncio.to_thread(self._place.close)

    # --- blocking parts, for worker threads ---

    def _expect_vectors(self, entity: str) -> None:
        catalog = self._place.catalog(entity)
        try:
            if catalog.exists():
                identity_at(self._vectors_at, catalog)
        except CorruptStoreError:
            return  # it cannot say where they are, and must not keep the text from being deleted
        finally:
            catalog.close()

    def _checked(self, catalog: Catalog, wanted: Identity) -> Identity:
        """Who the catalog belongs to; who is wanted, where nothing is stored."""
        manifest = self._place.manifest()
        if catalog.exists():
            known = catalog.identity()
            self._expect_same_embedder(wanted, known.embedder_id, known.dimension)
            if manifest is None:  # it is gone, and the names of the vectors with it
                self._place.found(known)
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
        found = self._place.found(wanted)
        self._expect_same_embedder(wanted, found.embedder_id, found.dimension)

    def _prepare_reindex(self, catalog: Catalog, entity: str) -> Identity:
        if not catalog.exists():
            raise StoreError(
                f"nothing is stored for entity {entity!r} in {self.name}, so nothing can be "
                f"reindexed; check the entity and --store"
            )
        catalog.upgrade()
        known = catalog.identity()
        self._place.found(known)
        return known

    async def _make_room(self, wanted: Identity, *, may_delete_unreadable: bool) -> None:
        """For new vectors, even where the old ones cannot be read."""
        try:
            await asyncio.to_thread(self._place.check_vectors)
            await self._drop_around(wanted.generation - 1, wanted)
        except CorruptStoreError as error:
            if not may_delete_unreadable or not await asyncio.to_thread(self._place.delete_vectors):
                raise
            _log.warning("%s; the unreadable vectors of all entities are deleted", error)

    async def _delete(self, entity: str) -> bool:
        catalog = self._place.catalog(entity)
        try:
            existed = await asyncio.to_thread(catalog.exists)
            if existed:
                identity = await asyncio.to_thread(catalog.identity)
                await self._drop_around(identity.generation, identity)
                vectors = self._both(identity)
                await vectors.drop()
                await vectors.passages.compact()
        except CorruptStoreError as error:
            # what cannot be read any more must not keep the text from being deleted
            _log.warning("deleting what is left of a damaged entity: %s", error)
            existed = True
            await self._drop_every(entity)
        finally:
            catalog.close()
        await asyncio.to_thread(self._place.erase, entity)
        return existed

    async def _drop_every(self, entity: str) -> None:
        """Drop the collections of an entity whose catalog cannot tell which is its own."""
        unknown = Identity(entity=entity, embedder_id="", dimension=0)
        with suppress(CorruptStoreError):
            for generation in range(1, GENERATIONS + 1):
                await self._both(replace(unknown, generation=generation)).drop()

    async def _drop_around(self, generation: int, identity: Identity) -> None:
        """Drop what a reindex that was killed has left of the generations beside this one."""
        for beside in (generation - 1, generation + 1):
            if beside > 0:
                await self._both(replace(identity, generation=beside)).drop()

    def _adopt_embedder(self, identity: Identity) -> None:
        """New entities use the new model as soon as every entity does."""
        manifest = self.manifest()
        if manifest is None or manifest.embedder_id == identity.embedder_id:
            return
        if all(embedder == identity.embedder_id for embedder in self.embedders().values()):
            self._place.replace_manifest(
                replace(manifest, embedder_id=identity.embedder_id, dimension=identity.dimension)
            )

    def embedders(self) -> Mapping[str, str]:
        """{entity: id of the model that its vectors come from}."""
        return {identity.entity: identity.embedder_id for identity in self._place.identities()}

    def manifest(self) -> Manifest | None:
        """What the store is; None before the first put."""
        return self._place.manifest()

    def _cure(self, entity: str) -> str:
        return rebuild_advice(self.name, entity=entity, server=self._place.server)

    def _both(self, identity: Identity) -> EntityVectors:
        return EntityVectors(
            passages=self._place.vectors(identity),
            cues=self._place.vectors(identity, ending=".cues"),
        )


def place_of_store(store: str | Path, *, chroma_url: str | None) -> StorePlace:
    """Where the store is; nothing is connected or made.

    Raises:
        StoreError: no folder can be there.
        UsageError: the address of something that keeps no store, or psycopg is not installed.
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

    return FolderPlace(Path(store), chroma_url=chroma_url)
