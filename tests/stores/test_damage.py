"""Damaged files give an error that says what to do, never a crash or silently fewer hits."""

import asyncio
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import aclosing, closing
from errno import EIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from chromadb.errors import InternalError

from secondhop.errors import CorruptStoreError, StoreError
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.vectors.chroma import ChromaVectors
from secondhop.stores.vectors.chroma_bindings import FolderCollection
from secondhop.stores.vectors.chroma_client import chroma_errors
from secondhop.stores.vectors.chroma_folder import ChromaFolder


def randomise(path: Path, *, start: int = 0, size: int | None = None) -> None:
    whole = bytearray(path.read_bytes())
    size = len(whole) - start if size is None else size
    whole[start : start + size] = random.Random(1).randbytes(size)
    path.write_bytes(whole)


def segment(chroma: Path) -> Path:
    return next(path.parent for path in chroma.glob("*/index_metadata.pickle"))


def catalog_of(home: Path) -> Path:
    (path,) = home.glob("entities/*/catalog.db")
    return path


DAMAGES: dict[str, Callable[[Path], None]] = {
    "folder deleted": shutil.rmtree,
    "database deleted": lambda c: (c / "chroma.sqlite3").unlink(),
    "database random": lambda c: randomise(c / "chroma.sqlite3"),
    "database random inside": lambda c: randomise(c / "chroma.sqlite3", start=4096, size=60_000),
    "segment deleted": lambda c: shutil.rmtree(segment(c)),
    "header": lambda c: randomise(segment(c) / "header.bin"),
    "vectors": lambda c: randomise(segment(c) / "data_level0.bin"),
    "some vectors": lambda c: randomise(segment(c) / "data_level0.bin", start=9_000, size=300),
    "vectors cut": lambda c: os.truncate(segment(c) / "data_level0.bin", 5_000),
    "vectors gone": lambda c: (segment(c) / "data_level0.bin").unlink(),
    "lengths": lambda c: randomise(segment(c) / "length.bin"),
    "links": lambda c: randomise(segment(c) / "link_lists.bin"),
    "labels": lambda c: randomise(segment(c) / "index_metadata.pickle"),
    "some labels": lambda c: randomise(segment(c) / "index_metadata.pickle", start=900, size=40),
    "labels gone": lambda c: (segment(c) / "index_metadata.pickle").unlink(),
}


async def fill(folder: Path, make: SimpleNamespace) -> None:
    async with aclosing(StoreDirectory(folder)) as home:
        store = await home.open_entity("me", embedder_id="hash-16", dimension=16)
        async with aclosing(store):
            await store.put([make.memory(f"m{n}", f"text {n}") for n in range(160)])


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, make: SimpleNamespace) -> Path:
    """A store of 160 memories, closed."""
    folder = tmp_path_factory.mktemp("filled") / "store"
    asyncio.run(fill(folder, make))
    return folder


@pytest.fixture
def filled(original: Path, tmp_path: Path) -> Path:
    """A copy of that store, to damage."""
    return shutil.copytree(original, tmp_path / "store")


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_damaged_vectors_are_noticed_when_the_entity_is_opened(
    filled: Path, damage: Callable[[Path], None]
) -> None:
    damage(filled / "chroma")
    async with aclosing(StoreDirectory(filled)) as home:
        with pytest.raises(CorruptStoreError, match="secondhop reindex") as refused:
            await home.open_entity("me", embedder_id="hash-16", dimension=16)
    assert f"`secondhop reindex --store {filled}" in str(refused.value)


DISK_ERROR = OSError(EIO, "Input/output error")


def no_connection_to_chroma(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def failing(address: str, **options: Any) -> sqlite3.Connection:
        if "chroma.sqlite3" in address:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
            raise error
        connection: sqlite3.Connection = connect(address, **options)
        return connection

    monkeypatch.setattr(sqlite3, "connect", failing)


def no_index_file(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes

    def failing(path: Path) -> bytes:
        if path.suffix in {".bin", ".pickle"}:
            raise DISK_ERROR
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", failing)


@pytest.mark.parametrize("fail", [no_connection_to_chroma, no_index_file])
async def test_a_disk_that_fails_is_not_told_as_damaged_vectors(
    filled: Path, monkeypatch: pytest.MonkeyPatch, fail: Callable[[pytest.MonkeyPatch], None]
) -> None:
    fail(monkeypatch)
    async with aclosing(StoreDirectory(filled)) as home:
        with pytest.raises(StoreError, match="check the disk") as refused:
            await home.open_entity("me", embedder_id="hash-16", dimension=16)
        assert not isinstance(refused.value, CorruptStoreError)


def test_a_disk_that_fails_under_chroma_is_not_told_as_damaged_vectors() -> None:
    with (
        pytest.raises(StoreError, match="check the disk") as refused,
        chroma_errors("store", cure="x"),
    ):
        raise InternalError("error returned from database: (code: 266) disk I/O error")
    assert not isinstance(refused.value, CorruptStoreError)


async def test_a_damaged_catalog_is_noticed(filled: Path) -> None:
    randomise(catalog_of(filled))
    async with aclosing(StoreDirectory(filled)) as home:
        with pytest.raises(CorruptStoreError, match="backup"):
            await home.open_entity("me", embedder_id="hash-16", dimension=16)


async def test_vectors_that_disappear_while_the_store_is_open_are_noticed(
    filled: Path, make: SimpleNamespace
) -> None:
    async with aclosing(StoreDirectory(filled)) as home:
        store = await home.open_entity("me", embedder_id="hash-16", dimension=16)
        async with aclosing(store):
            shutil.rmtree(filled / "chroma")
            with pytest.raises(CorruptStoreError, match="secondhop reindex"):
                await store.dense(make.vectors("text 1"), k=5)


async def test_after_a_write_that_chroma_refused_everything_works_on(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    client = ChromaFolder(tmp_path / "chroma", locks=tmp_path / "locks")
    index = ChromaVectors(client, name=lambda: "some-name.1", dimension=16)
    await index.upsert(["a"], make.vectors("a"))
    with pytest.raises(StoreError, match="dimension"):
        await index.upsert(["b"], make.vectors("b")[:, :5])
    assert await index.ids() == {"a"}
    await index.upsert(["c"], make.vectors("c"))
    assert [len(found) for found in await index.nearest(make.vectors("c"), k=5)] == [2]
    client.close()


def empty(database: Path) -> None:
    database.write_bytes(b"")


def without_tables(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        (made,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'migrations'"
        ).fetchone()
    database.unlink()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(made)


@pytest.mark.parametrize("left", [empty, without_tables])
async def test_a_database_that_a_kill_left_without_tables_is_begun_again(
    home: StoreDirectory, make: SimpleNamespace, left: Callable[[Path], None]
) -> None:
    other = await home.open_entity("other", embedder_id="hash-16", dimension=16)
    async with aclosing(other):
        await other.put([make.memory("m", "text")])
        await other.delete(["m"])
    await home.aclose()
    left(home.path / "chroma" / "chroma.sqlite3")

    for entity in ("me", "other"):
        store = await home.open_entity(entity, embedder_id="hash-16", dimension=16)
        async with aclosing(store):
            await store.put([make.memory("m", "text")])
            assert [hit.memory_id for hit in (await store.dense(make.vectors("text"), k=3))[0]] == [
                "m"
            ]


async def test_an_index_that_chroma_has_lost_from_memory_is_loaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chromadb.errors import InternalError

    client = ChromaFolder(tmp_path / "chroma", locks=tmp_path / "locks")
    index = ChromaVectors(client, name=lambda: "passages", dimension=4)
    vectors = np.eye(4, dtype=np.float32)
    await index.upsert(["a", "b", "c", "d"], vectors)
    nearest, lost = FolderCollection.nearest, ["once"]

    def losing(self: FolderCollection, *args: Any, **named: Any) -> Any:
        if lost:
            lost.clear()
            raise InternalError("Error creating hnsw segment reader: Nothing found on disk")
        return nearest(self, *args, **named)

    monkeypatch.setattr(FolderCollection, "nearest", losing)

    (ranking,) = await index.nearest(vectors[:1], k=1)

    assert ranking == [("a", 1.0)]
    client.close()
