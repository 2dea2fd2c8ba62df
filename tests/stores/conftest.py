"""Stores in every place, and memories without a model: the same text has the same vector."""

import asyncio
import hashlib
import os
import sysconfig
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.local_server import free_port, running_server
from tests.postgres_server import PostgresForTests, running_postgres

from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.database import Database
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import Lock, WriterLock
from secondhop.stores.postgres.database import PostgresDatabase
from secondhop.stores.postgres.place import PostgresLock
from secondhop.stores.postgres.server import PostgresServer
from secondhop.stores.postgres.vectors import PostgresVectors
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import (
    EmbeddedMemory,
    Memory,
    Message,
    Passage,
    Vector,
    Vectors,
    passage_id_of,
)
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.vectors.chroma import ChromaVectors
from secondhop.stores.vectors.chroma_client import ChromaClient
from secondhop.stores.vectors.chroma_folder import ChromaFolder
from secondhop.stores.vectors.chroma_server import ChromaServer
from secondhop.stores.vectors.memory_index import MemoryIndex

DIMENSION = 16
EMBEDDER = "hash-16"


def vector_of(text: str, *, dimension: int = DIMENSION) -> Vector:
    """A random unit vector that depends only on the text."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8])
    row = np.random.default_rng(seed).normal(size=dimension)
    return (row / np.linalg.norm(row)).astype(np.float32)


def vectors_of(*texts: str) -> Vectors:
    """One row for each text."""
    return np.stack([vector_of(text) for text in texts])


def memory_of(memory_id: str, *texts: str, title: str = "", origin: str = "") -> EmbeddedMemory:
    """A memory with one message and one passage for each text."""
    memory = Memory(
        memory_id=memory_id,
        title=title or f"About {memory_id}",
        source="note",
        created_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        messages=tuple(Message("user", text) for text in texts),
        origin=origin,
    )
    passages = tuple(
        Passage(
            passage_id=passage_id_of(memory, place, text),
            memory_id=memory_id,
            ordinal=place,
            text=text,
            tokens=len(text.split()),
        )
        for place, text in enumerate(texts)
    )
    vectors = np.stack([vector_of(t) for t in texts]) if texts else np.zeros((0, DIMENSION))
    return EmbeddedMemory(memory=memory, passages=passages, vectors=vectors.astype(np.float32))


@pytest.fixture(scope="session")
def make() -> SimpleNamespace:
    """`make.memory(id, *texts, title=, origin=)`, `make.vectors(*texts)` and their constants."""
    return SimpleNamespace(
        memory=memory_of, vectors=vectors_of, dimension=DIMENSION, embedder=EMBEDDER
    )


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[StoreDirectory]:
    """An empty store folder with an embedded Chroma."""
    async with aclosing(StoreDirectory(tmp_path / "store")) as opened:
        yield opened


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real Chroma server, started for the tests and ended by its process id."""
    port = free_port()
    command = [os.path.join(sysconfig.get_path("scripts"), "chroma"), "run"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    command += ["--path", str(tmp_path_factory.mktemp("server"))]
    with running_server(command, port=port):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresForTests]:
    """A real PostgreSQL server, started for the tests and ended by its process id."""
    with running_postgres() as server:
        yield server


PLACES = [
    "sqlite and memory",
    "sqlite and a folder",
    *(
        pytest.param(place, marks=pytest.mark.slow)
        for place in ("sqlite and a server", "postgres and a server", "postgres and pgvector")
    ),
]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    """Where the catalog and the vectors are."""
    return str(request.param)


@pytest.fixture
def database(place: str, request: pytest.FixtureRequest) -> Iterator[PostgresServer | None]:
    """An empty PostgreSQL database; None in places without one."""
    if "postgres" not in place:
        yield None
        return
    server = PostgresServer(request.getfixturevalue("postgres").database())
    yield server
    server.close()


@pytest.fixture
def collection(
    place: str, database: PostgresServer | None, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[str], VectorIndex]]:
    """Makes an empty index with a given name."""
    made: list[ChromaVectors] = []
    client: ChromaClient | None = None
    if place.endswith("folder"):
        client = ChromaFolder(tmp_path / "chroma", locks=tmp_path / "locks")
    elif place.endswith("server"):
        client = ChromaServer(request.getfixturevalue("chroma_server"), store=str(tmp_path))

    def make(name: str) -> VectorIndex:
        if client is not None:
            full = f"{tmp_path.name.rstrip('_')}-x.{name}"
            made.append(ChromaVectors(client, name=lambda: full, dimension=DIMENSION))
            return made[-1]
        if database is not None:
            return PostgresVectors(database, "me", collection=name)
        return MemoryIndex()

    yield make
    if client is not None:
        for one in made:
            asyncio.run(one.drop())
        client.close()


@pytest.fixture
def index(collection: Callable[[str], VectorIndex]) -> VectorIndex:
    """An empty index for vectors of passages."""
    return collection("1")


@pytest.fixture
async def store(
    index: VectorIndex,
    collection: Callable[[str], VectorIndex],
    database: PostgresServer | None,
    tmp_path: Path,
) -> AsyncIterator[EntityStore]:
    """An empty store of entity "me", in each place."""
    where: Path | Database = tmp_path / "catalog.db"
    lock: Lock = WriterLock(tmp_path / "writer")
    if database is not None:
        where = PostgresDatabase(database, "me", part="catalog")
        lock = PostgresLock(database, "me")
    opened = EntityStore(
        Catalog(where),
        index,
        identity=Identity(entity="me", embedder_id=EMBEDDER, dimension=DIMENSION),
        lock=lock,
        cue_index=collection("1.cues"),
        before_first_put=partial(known_entity, database),
    )
    await opened.open()
    async with aclosing(opened):
        yield opened


@pytest.fixture
async def own_store(tmp_path: Path) -> AsyncIterator[EntityStore]:
    """An empty store of entity "me": a catalog in a file, vectors in memory."""
    opened = EntityStore(
        Catalog(tmp_path / "catalog.db"),
        MemoryIndex(),
        identity=Identity(entity="me", embedder_id=EMBEDDER, dimension=DIMENSION),
        lock=WriterLock(tmp_path / "writer"),
        cue_index=MemoryIndex(),
    )
    async with aclosing(opened):
        yield opened


def known_entity(database: PostgresServer | None) -> None:
    """Add the entity to PostgreSQL's list, so that its changes are noted."""
    if database is not None:
        database.migrate()
        with database.transaction("", writes=True) as connection:
            connection.execute("INSERT INTO entities (entity, name) VALUES ('me', 'me')")
