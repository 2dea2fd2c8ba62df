"""The folder of a store, and the way to one entity in it.

store.json                   which embedding model, which store; made again when it is lost
entities/<name>-<hash>/      catalog.db: the truth about one entity
chroma/                      vectors of all entities, rebuilt from the catalogs by `reindex`
locks/                       empty files that processes lock
"""

import asyncio
import hashlib
import logging
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from secondhop.errors import CorruptStoreError, EmbedderMismatchError, StoreError, UsageError
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import StampedLock, to_its_end, writer_turn
from secondhop.stores.manifest import (
    Manifest,
    create_manifest,
    intact_manifest,
    read_manifest,
    recover_manifest,
    replace_manifest,
)
from secondhop.stores.rebuild_command import mend_command, rebuild_command
from secondhop.stores.reindex import EntityVectors, Reindex
from secondhop.stores.vectors.chroma import ChromaVectors
from secondhop.stores.vectors.chroma_client import ChromaClient
from secondhop.stores.vectors.chroma_database import check_database
from secondhop.stores.vectors.chroma_server import ChromaServer
from secondhop.stores.vectors.place import (
    identity_at,
    place_of,
)
from secondhop.stores.vectors.shared_clients import folder_client, leave_client

LONGEST_ENTITY = 512
"""Characters in an entity's name."""
_LOCK_TIMEOUT_S = 30.0
_log = logging.getLogger(__name__)

GENERATIONS = 32
"""Reindexes after which vectors are still found when a damaged catalog cannot tell how many."""


class StoreDirectory:
    """One store: a folder, and Chroma in it or on a server."""

    def __init__(self, path: Path, *, chroma_url: str | None = None) -> None:
        """Creates nothing. Raises StoreError where no folder can be."""
        for place in (path, *path.parents):
            if _is_file(place):
                raise StoreError(
                    f"the store cannot be in {path}: {place} is a file; name a folder (--store DIR)"
                )
        self.path = path
        self._server, self._place = chroma_url, place_of(chroma_url)
        self._store_id: str | None = None
        self._chroma: ChromaClient = (
            ChromaServer(chroma_url, store=path) if chroma_url else folder_client(path, user=self)
        )

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
            entity=entity, embedder_id=embedder_id, dimension=dimension, server=self._place
        )
        catalog = Catalog(self._catalog_path(entity))
        try:
            await asyncio.to_thread(self._check, catalog, identity)
            if await asyncio.to_thread(catalog.exists):
                identity = await asyncio.to_thread(identity_at, self._place, catalog)
            vectors = self._both(identity)
            store = EntityStore(
                catalog,
                vectors.passages,
                identity=identity,
                lock_path=self._writer_lock(entity),
                cue_index=vectors.cues,
                before_first_put=lambda: self._found_store(identity),
                check_room=self._chroma.check_room,
            )
            mend = mend_command(self.path, entity=entity, server=self._server)
            store.cure = f"{mend} embeds what is missing, and {self._cure(entity)}"
            await store.open(mending=mending)
        except BaseException:
            catalog.close()
            raise
        return store

    def entities(self) -> list[str]:
        """Names of those with a catalog, sorted."""
        return sorted(identity.entity for identity in self._identities())

    async def delete_entity(self, entity: str) -> bool:
        """Delete everything of an entity; whether there was anything.

        Raises:
            StoreError: as `expect_vectors`; nothing was deleted.
        """
        folder = self._catalog_path(entity).parent
        if not await asyncio.to_thread(folder.exists):
            return False
        await self.expect_vectors(entity)
        async with writer_turn(self._writer_lock(entity), timeout_s=_LOCK_TIMEOUT_S):
            return await to_its_end(self._delete(entity, folder))

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
        turn = writer_turn(self._writer_lock(entity), timeout_s=_LOCK_TIMEOUT_S)
        await turn.__aenter__()
        catalog = Catalog(self._catalog_path(entity))
        try:
            old = await asyncio.to_thread(self._prepare_reindex, catalog, entity)
            new = replace(
                old,
                embedder_id=embedder_id,
                dimension=dimension,
                generation=old.generation + 1,
                server=self._place,
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
        """Close the vectors, unless someone else in this process has the folder open, too.

        Close entity stores yourself.
        """
        if self._server:
            await asyncio.to_thread(self._chroma.close)
        else:
            await asyncio.to_thread(leave_client, self)

    # --- blocking parts, for worker threads ---

    def _expect_vectors(self, entity: str) -> None:
        catalog = Catalog(self._catalog_path(entity))
        try:
            if catalog.exists():
                identity_at(self._place, catalog)
        except CorruptStoreError:
            return  # it cannot say where they are, and must not keep the text from being deleted
        finally:
            catalog.close()

    def _check(self, catalog: Catalog, wanted: Identity) -> None:
        manifest = self._whole_manifest()
        if catalog.exists():
            known = catalog.identity()
            self._expect_same_embedder(wanted, known.embedder_id, known.dimension)
        elif manifest:
            self._expect_same_embedder(wanted, manifest.embedder_id, manifest.dimension)

    def _whole_manifest(self) -> Manifest | None:
        """What `store.json` says, rebuilt if it was lost or damaged; None before the first put."""
        found = intact_manifest(self._manifest_path)
        if found is not None or not (self.path / "entities").is_dir():
            return found or self.manifest()
        with StampedLock(self.path / "locks" / "store.json").exclusive():
            found = intact_manifest(self._manifest_path)
            identities = self._identities(skip_damaged=True)
            if found is not None or not identities:
                return found or self.manifest()
            return recover_manifest(
                self._manifest_path,
                identities=identities,
                digests={_digest(identity.entity) for identity in identities},
                chroma=self.path / "chroma",
                cure=self._cure(),
            )

    def _expect_same_embedder(self, wanted: Identity, embedder_id: str, dimension: int) -> None:
        if (embedder_id, dimension) != (wanted.embedder_id, wanted.dimension):
            raise EmbedderMismatchError(
                built_with=f"{embedder_id} ({dimension} dimensions)",
                opened_with=f"{wanted.embedder_id} ({wanted.dimension} dimensions)",
                store=str(self.path),
            )

    def _found_store(self, wanted: Identity) -> None:
        found = self.manifest() or create_manifest(
            self._manifest_path, embedder_id=wanted.embedder_id, dimension=wanted.dimension
        )
        self._expect_same_embedder(wanted, found.embedder_id, found.dimension)

    def _prepare_reindex(self, catalog: Catalog, entity: str) -> Identity:
        if not catalog.exists():
            raise StoreError(
                f"nothing is stored for entity {entity!r} in {self.path}, so nothing can be "
                f"reindexed; check the entity and --store"
            )
        self._whole_manifest()
        catalog.upgrade()
        return catalog.identity()

    async def _make_room(self, wanted: Identity, *, may_delete_unreadable: bool) -> None:
        """For new vectors, even where the old ones cannot be read."""
        folder = self.path / "chroma"
        try:
            if not self._server:
                await asyncio.to_thread(check_database, folder)
            await self._drop_around(wanted.generation - 1, wanted)
        except CorruptStoreError as error:
            if self._server or not may_delete_unreadable:
                raise
            await asyncio.to_thread(self._chroma.close)
            _log.warning("%s; the unreadable vectors of all entities are deleted", error)
            await asyncio.to_thread(shutil.rmtree, folder)

    async def _delete(self, entity: str, folder: Path) -> bool:
        catalog = Catalog(folder / "catalog.db")
        try:
            existed = await asyncio.to_thread(catalog.exists)
            if existed:
                identity = await asyncio.to_thread(catalog.identity)
                await asyncio.to_thread(self._whole_manifest)  # it names the collections
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
        await asyncio.to_thread(shutil.rmtree, folder)
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
            replace_manifest(
                self._manifest_path,
                replace(manifest, embedder_id=identity.embedder_id, dimension=identity.dimension),
            )

    def embedders(self) -> Mapping[str, str]:
        """{entity: id of the model that its vectors come from}."""
        return {identity.entity: identity.embedder_id for identity in self._identities()}

    def _identities(self, *, skip_damaged: bool = False) -> list[Identity]:
        """Of the entities with a catalog; a damaged catalog is an error, or left out."""
        known: list[Identity] = []
        for path in sorted((self.path / "entities").glob("*/catalog.db")):
            catalog = Catalog(path)
            try:
                if catalog.exists():
                    known.append(catalog.identity())
            except CorruptStoreError:
                if not skip_damaged:
                    raise
            finally:
                catalog.close()
        return known

    # --- names ---

    @property
    def _manifest_path(self) -> Path:
        return self.path / "store.json"

    def manifest(self) -> Manifest | None:
        """What `store.json` says; None before the first put."""
        return read_manifest(self._manifest_path)

    def _catalog_path(self, entity: str) -> Path:
        return self.path / "entities" / entity_slug(entity) / "catalog.db"

    def _cure(self, entity: str | None = None) -> str:
        command = rebuild_command(self.path, entity=entity, server=self._server)
        if self._server:
            return f"{command} rebuilds the vectors"
        return (
            f"{command} rebuilds the vectors, unless they are on a Chroma server: "
            f"then name it with --chroma"
        )

    def _writer_lock(self, entity: str) -> Path:
        return self.path / "locks" / f"{entity_slug(entity)}.writer"

    def _both(self, identity: Identity) -> EntityVectors:
        cues = self._vectors(identity, ending=".cues")
        return EntityVectors(passages=self._vectors(identity), cues=cues)

    def _vectors(self, identity: Identity, *, ending: str = "") -> ChromaVectors:
        digest = _digest(identity.entity)

        def name() -> str | None:
            # asked for at every use: the store may be created after the entity was opened
            if self._store_id is None:
                manifest = self.manifest()
                self._store_id = manifest.store_id if manifest else None
            if self._store_id is None:
                return None
            return f"{self._store_id[:12]}-{digest}.{identity.generation}{ending}"

        return ChromaVectors(self._chroma, name=name)


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except PermissionError as error:
        raise StoreError(
            f"{place} cannot be looked at ({error.strerror}); get the right to open its folder, "
            f"or name another one for the store (--store DIR)"
        ) from error


def entity_slug(entity: str) -> str:
    """A folder name that reads like the entity and is its own: names that differ, differ here.

    Raises:
        UsageError: the name is empty, longer than 512 characters, or no valid Unicode.
    """
    if not 0 < len(entity) <= LONGEST_ENTITY:
        raise UsageError(
            f"an entity's name has 1 to {LONGEST_ENTITY} characters, this one {len(entity)}"
        )
    try:
        entity.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the entity's name {entity!r} holds half of a character, as a name that is not UTF-8 "
            f"does; give it another one"
        ) from error
    readable = re.sub("[^a-z0-9]+", "-", entity.lower()).strip("-")[:32] or "entity"
    return f"{readable}-{_digest(entity)}"


def _digest(entity: str) -> str:
    return hashlib.sha256(entity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
