"""A store in a PostgreSQL database."""

import shutil
import uuid
from collections.abc import Callable, Iterable
from typing import Any, LiteralString

from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.counters import CounterStore
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.manifest import Manifest
from secondhop.stores.postgres.annotation_rows import AnnotationRows
from secondhop.stores.postgres.database import CATALOG, PostgresDatabase
from secondhop.stores.postgres.schema import TABLES
from secondhop.stores.postgres.server import PostgresServer
from secondhop.stores.postgres.token_rows import TokenRows
from secondhop.stores.postgres.trace_rows import TraceRows
from secondhop.stores.postgres.vectors import PostgresVectors
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.sessions_database import DatabaseSessions
from secondhop.stores.shared import Shared
from secondhop.stores.store_address import files_of
from secondhop.stores.vectors.chroma import ChromaVectors, CollectionNames
from secondhop.stores.vectors.chroma_server import ChromaServer

_MANIFEST = "SELECT store_id, embedder_id, dimension FROM store"
_servers: Shared[PostgresServer] = Shared()


class PostgresLock:
    """A `Lock` on an entity: an advisory lock of the database."""

    def __init__(self, server: PostgresServer, entity: str, *, forgetting: bool = False) -> None:
        self._server = server
        self.key = (server.name, entity, forgetting)
        self.room = server.forgetting if forgetting else server.turns

    def try_acquire(self) -> Callable[[], None] | None:
        """See `Lock`."""
        _, entity, forgetting = self.key
        if forgetting:
            return self._server.try_lock(f"secondhop-forgetting {entity}", forgetting=True)
        return self._server.try_lock(f"secondhop {entity}")

    def for_forgetting(self) -> "PostgresLock":
        """See `Lock`."""
        return PostgresLock(self._server, self.key[1], forgetting=True)


class PostgresPlace:
    """A `StorePlace` in a database, with vectors beside it (pgvector) or on a Chroma server."""

    def __init__(self, address: str, *, chroma_url: str | None) -> None:
        """Connects to nothing yet. Raises UsageError if `chroma_url` is not valid."""
        self._server = _servers.of(address, lambda: PostgresServer(address), user=self)
        self.name, self.server = self._server.name, chroma_url
        self.folder = files_of(address)
        self.annotating = AnnotationRows(self._server)
        self.tokens = TokenRows(PostgresDatabase(self._server, "", part="tokens"))
        self._chroma = ChromaServer(chroma_url, store=self.name) if chroma_url else None
        self._names = CollectionNames(self.manifest)

    def catalog(self, entity: str) -> Catalog:
        """See `StorePlace`."""
        return Catalog(self._tables(entity, part=CATALOG))

    def counters(self, entity: str) -> CounterStore:
        """See `StorePlace`."""
        return CounterStore(self._tables(entity, part="counters"))

    def sessions(self, entity: str) -> DatabaseSessions:
        """See `StorePlace`."""
        return DatabaseSessions(self._tables(entity, part="sessions"))

    def traces(self, entity: str) -> TraceRows:
        """See `StorePlace`."""
        return TraceRows(self._tables(entity, part="traces"))

    def lock(self, entity: str) -> PostgresLock:
        """See `StorePlace`."""
        return PostgresLock(self._server, entity_slug(entity))

    def vectors(self, identity: Identity, *, ending: str = "") -> VectorIndex:
        """See `StorePlace`."""
        if self._chroma:
            name = self._names.of(identity, ending=ending)
            return ChromaVectors(self._chroma, name=name, dimension=identity.dimension)
        collection = f"{identity.generation}{ending}"
        slug = entity_slug(identity.entity)
        return PostgresVectors(self._server, slug, collection=collection)

    def catalogs(self) -> Iterable[Catalog]:
        """See `StorePlace`."""
        return [self.catalog(name) for (name,) in self._rows("SELECT name FROM entities")]

    def manifest(self) -> Manifest | None:
        """See `StorePlace`."""
        for store_id, embedder_id, dimension in self._rows(_MANIFEST):
            return Manifest(store_id=store_id, embedder_id=embedder_id, dimension=dimension)
        return None

    def found(self, wanted: Identity) -> Manifest:
        """See `StorePlace`."""
        self._server.migrate(vectors=self._chroma is None)  # without pgvector nothing is founded
        new = Manifest(
            store_id=uuid.uuid4().hex, embedder_id=wanted.embedder_id, dimension=wanted.dimension
        )
        with self._server.transaction("", writes=True) as connection:
            connection.execute(
                "INSERT INTO store (store_id, embedder_id, dimension) VALUES (%s, %s, %s) "
                "ON CONFLICT DO NOTHING",
                (new.store_id, new.embedder_id, new.dimension),
            )
            connection.execute(
                "INSERT INTO entities (entity, name) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (entity_slug(wanted.entity), wanted.entity),
            )
        return self.manifest() or new

    def replace_manifest(self, manifest: Manifest) -> None:
        """See `StorePlace`."""
        with self._server.transaction("", writes=True) as connection:
            connection.execute(
                "UPDATE store SET embedder_id = %s, dimension = %s",
                (manifest.embedder_id, manifest.dimension),
            )

    def is_there(self) -> bool:
        """See `StorePlace`."""
        return True

    def holds(self, entity: str) -> bool:
        """See `StorePlace`."""
        return bool(self._rows("SELECT 1 FROM entities WHERE entity = %s", entity_slug(entity)))

    def is_in_use(self, entity: str) -> bool:
        """See `StorePlace`. Here it cannot be told; whoever writes has the entity's lock."""
        del entity
        return False

    def erase(self, entity: str) -> None:
        """See `StorePlace`."""
        slug = entity_slug(entity)
        with self._server.transaction(slug, writes=True) as connection:
            for table in TABLES:
                connection.execute(f"DELETE FROM {table}".encode())
            connection.execute("DELETE FROM entities WHERE entity = %s", (slug,))
            connection.execute("DELETE FROM annotating WHERE entity = %s", (slug,))
        shutil.rmtree(self.folder / "entities" / slug, ignore_errors=True)

    def finish_erasing(self) -> None:
        """See `StorePlace`. A database erases all or nothing."""

    def check_vectors(self) -> None:
        """See `StorePlace`. Does nothing, because the servers look after the vectors."""

    def delete_vectors(self) -> bool:
        """See `StorePlace`."""
        return False

    def close(self) -> None:
        """See `StorePlace`."""
        _servers.leave(self)
        if self._chroma:
            self._chroma.close()

    def _tables(self, entity: str, *, part: str) -> PostgresDatabase:
        return PostgresDatabase(self._server, entity_slug(entity), part=part)

    def _rows(self, sql: LiteralString, *values: str) -> list[tuple[Any, ...]]:
        """Rows of the tables that belong to no entity; [] if nothing was ever stored."""
        if not self._server.has_schema():
            return []
        with self._server.transaction("", writes=False) as connection:
            return connection.execute(sql, values).fetchall()
