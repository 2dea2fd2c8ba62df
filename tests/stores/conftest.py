"""Memories to store, without a model: the same text has the same vector."""

import hashlib
import os
import sysconfig
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.local_server import free_port, running_server

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

DIMENSION = 16
EMBEDDER = "hash-16"


def vector_of(text: str, *, dimension: int = DIMENSION) -> Vector:
    """A random direction that the text alone decides."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8])
    row = np.random.default_rng(seed).normal(size=dimension)
    return (row / np.linalg.norm(row)).astype(np.float32)


def vectors_of(*texts: str) -> Vectors:
    """One row a text."""
    return np.stack([vector_of(text) for text in texts])


def memory_of(memory_id: str, *texts: str, title: str = "", origin: str = "") -> EmbeddedMemory:
    """One passage a text."""
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
            passage_id=passage_id_of(memory, place),
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
    """An empty store with an embedded Chroma."""
    async with aclosing(StoreDirectory(tmp_path / "store")) as opened:
        yield opened


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a real server, started for the tests and ended by its id."""
    port = free_port()
    command = [os.path.join(sysconfig.get_path("scripts"), "chroma"), "run"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    command += ["--path", str(tmp_path_factory.mktemp("server"))]
    with running_server(command, port=port):
        yield f"http://127.0.0.1:{port}"
