"""After `compact`, what was removed from Chroma's answers is also gone from its files."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import aclosing, closing
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.stores.read_forever import ENTITIES
from tests.vector_files import files_with_vector

from secondhop.stores.records import Vectors
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.vectors.chroma import ChromaVectors
from secondhop.stores.vectors.chroma_client import ChromaSession
from secondhop.stores.vectors.chroma_folder import ChromaFolder

DIMENSION = 48
NAME = "leftovers.1"
READ_FOREVER = Path(__file__).with_name("read_forever.py")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ChromaFolder]:
    client = ChromaFolder(tmp_path / "chroma", locks=tmp_path / "locks")
    yield client
    client.close()


@pytest.fixture
def index(folder: ChromaFolder) -> ChromaVectors:
    return ChromaVectors(folder, name=lambda: NAME, dimension=DIMENSION)


def unit_rows(count: int, *, seed: int = 7) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    return np.array(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def ids(count: int) -> list[str]:
    return [f"p{n}" for n in range(count)]


@pytest.mark.parametrize("count", [10, 700])
async def test_a_removed_vector_stands_in_no_file_any_more(
    index: ChromaVectors, folder: ChromaFolder, count: int
) -> None:
    rows = unit_rows(count)
    await index.upsert(ids(count), rows)
    gone = [3, count - 2]
    await index.remove([f"p{n}" for n in gone])
    assert all(files_with_vector(rows[n], folder.folder) for n in gone), "Chroma leaves it"

    assert await index.compact()

    assert await index.ids() == {f"p{n}" for n in range(count) if n not in gone}
    folder.close()
    assert [files_with_vector(rows[n], folder.folder) for n in gone] == [[], []]
    assert files_with_vector(rows[5], folder.folder), "the search of this test finds what is there"


async def test_another_client_finds_what_stays_and_writes_nothing_back(
    index: ChromaVectors, folder: ChromaFolder
) -> None:
    rows, more = unit_rows(70), unit_rows(60, seed=9)
    await index.upsert(ids(70), rows)
    with closing(ChromaFolder(folder.folder, locks=folder.folder.parent / "locks")) as other_client:
        other = ChromaVectors(other_client, name=lambda: NAME, dimension=DIMENSION)
        assert await other.count() == 70
        await index.remove(["p3"])
        assert await index.compact()
        await other.upsert([f"q{n}" for n in range(60)], more)

        assert await other.count() == 129
        found = await other.nearest(np.stack([rows[4], more[9]]), k=1)
        assert [hits[0][0] for hits in found] == ["p4", "q9"]
    assert files_with_vector(rows[3], folder.folder) == []


async def test_nothing_is_left_of_a_collection_that_was_dropped(
    index: ChromaVectors, folder: ChromaFolder
) -> None:
    rows = unit_rows(60)
    other = ChromaVectors(folder, name=lambda: "other.1", dimension=DIMENSION)
    await other.upsert(["kept"], unit_rows(1, seed=8))
    await index.upsert(ids(60), rows)
    await index.drop()

    assert await index.compact()

    assert not any(files_with_vector(rows[n], folder.folder) for n in range(0, 60, 7))
    assert await other.ids() == {"kept"}


@pytest.mark.parametrize("step", ["drop", "rename", "created"])
async def test_one_that_is_cut_off_loses_no_vector_and_can_be_done_again(
    index: ChromaVectors, folder: ChromaFolder, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    rows = unit_rows(130)
    await index.upsert(ids(130), rows)
    await index.remove(["p3"])
    with monkeypatch.context() as patch:
        patch.setattr(ChromaSession, step, killed)
        with pytest.raises(KeyboardInterrupt):
            folder.compact(NAME)

    with closing(ChromaFolder(folder.folder, locks=folder.folder.parent / "locks")) as restarted:
        again = ChromaVectors(restarted, name=lambda: NAME, dimension=DIMENSION)
        assert len(await again.ids()) == 129
        assert (await again.nearest(rows[7:8], k=1))[0][0][0] == "p7"
        assert await again.compact()
        assert len(await again.ids()) == 129
    assert files_with_vector(rows[3], folder.folder) == []


async def test_without_a_database_there_is_nothing_to_compact(index: ChromaVectors) -> None:
    assert await index.compact()


async def test_a_busy_database_is_told_and_the_vectors_stay_usable(
    index: ChromaVectors, folder: ChromaFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = unit_rows(12)
    await index.upsert(ids(12), rows)
    await index.remove(["p3"])
    with monkeypatch.context() as patch:
        sql = "SELECT * FROM no_such_table"
        patch.setattr("secondhop.stores.vectors.chroma_database._VACUUM", sql)
        assert not await index.compact()

    assert await index.count() == 11
    assert await index.compact()
    assert files_with_vector(rows[3], folder.folder) == []


@pytest.mark.slow
async def test_memories_are_erased_while_other_processes_search(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    async def erase(name: str) -> None:
        store = await home.open_entity(name, embedder_id="hash-16", dimension=16)
        async with aclosing(store):
            for number in range(6):
                erased = await store.erasure.erase([f"m{number}"])
                assert (erased.text, erased.vectors) == (True, True)
                await store.put([make.memory(f"m{number}", f"text {number} again")])
            counts = await store.counts()
            assert (counts.memories, counts.vectors, counts.pending) == (120, 120, 0)

    for name in ENTITIES:
        store = await home.open_entity(name, embedder_id="hash-16", dimension=16)
        async with aclosing(store):
            await store.put([make.memory(f"m{n}", f"text {n}") for n in range(120)])
    command = [sys.executable, str(READ_FOREVER), str(home.path)]
    repo = str(Path(__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, repo])}
    readers = [
        await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, env=env)
        for _ in range(2)
    ]
    for reader in readers:
        assert reader.stdout is not None
        assert await reader.stdout.readline() == b"reading\n"

    await asyncio.gather(*map(erase, ENTITIES))

    assert [reader.returncode for reader in readers] == [None, None]
    for reader in readers:
        reader.kill()
        await reader.wait()
