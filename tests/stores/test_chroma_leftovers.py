"""What Chroma has removed from its answers is removed from its files, too."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.vector_files import files_with_vector

from secondhop.stores.records import Vectors
from secondhop.stores.vectors.chroma import ChromaVectors
from secondhop.stores.vectors.folder import ChromaFolder
from secondhop.stores.vectors.hnsw_files import segment_folder

DIMENSION = 48
NAME = "leftovers.1"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ChromaFolder]:
    client = ChromaFolder(tmp_path / "chroma", locks=tmp_path / "locks")
    yield client
    client.close()


@pytest.fixture
def index(folder: ChromaFolder) -> ChromaVectors:
    return ChromaVectors(folder, name=lambda: NAME)


def unit_rows(count: int, *, seed: int = 7) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    return np.array(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def ids(count: int) -> list[str]:
    return [f"p{n}" for n in range(count)]


@pytest.mark.parametrize("count", [10, 130], ids=["all in the log", "most in the index"])
async def test_a_removed_vector_stands_in_no_file_any_more(
    index: ChromaVectors, folder: ChromaFolder, count: int
) -> None:
    rows = unit_rows(count)
    await index.upsert(ids(count), rows)
    gone = [3, count - 2]
    assert all(files_with_vector(rows[n], folder.folder) for n in gone)
    await index.remove([f"p{n}" for n in gone])
    assert all(files_with_vector(rows[n], folder.folder) for n in gone), "Chroma leaves it"

    assert await index.erase_removed()

    assert [files_with_vector(rows[n], folder.folder) for n in gone] == [[], []]
    assert files_with_vector(rows[5], folder.folder), "the search of this test finds what is there"


async def test_what_stays_is_found_as_before_and_writing_goes_on(
    index: ChromaVectors, folder: ChromaFolder
) -> None:
    rows = unit_rows(130)
    await index.upsert(ids(130), rows)
    await index.remove(["p3", "p60", "p128"])
    before = await index.nearest(rows[:20], k=8)

    assert await index.erase_removed()

    assert await index.nearest(rows[:20], k=8) == before
    assert await index.count() == 127
    more = unit_rows(70, seed=8)
    await index.upsert([f"q{n}" for n in range(70)], more)
    await index.upsert(["p3"], rows[3:4])
    folder.close()
    assert await index.count() == 198
    assert [hits[0][0] for hits in await index.nearest(np.stack([more[9], rows[3]]), k=1)] == [
        "q9",
        "p3",
    ]


async def test_what_another_client_has_in_memory_is_not_written_back(
    index: ChromaVectors, folder: ChromaFolder
) -> None:
    rows = unit_rows(70)
    await index.upsert(ids(70), rows)
    with closing(ChromaFolder(folder.folder, locks=folder.folder.parent / "locks")) as other_client:
        other = ChromaVectors(other_client, name=lambda: NAME)
        assert await other.count() == 70
        await index.remove(["p3"])
        assert await index.erase_removed()
        await other.upsert([f"q{n}" for n in range(60)], unit_rows(60, seed=9))

        assert await other.count() == 129
    assert files_with_vector(rows[3], folder.folder) == []


async def test_nothing_is_left_when_everything_is_removed(
    index: ChromaVectors, folder: ChromaFolder
) -> None:
    rows = unit_rows(60)
    await index.upsert(ids(60), rows)
    await index.remove(ids(60))

    assert await index.erase_removed()

    assert [n for n in range(0, 60, 7) if files_with_vector(rows[n], folder.folder)] == []
    assert await index.nearest(rows[:1], k=3) == [[]]
    await index.upsert(["again"], rows[:1])
    assert await index.ids() == {"again"}


async def test_nothing_is_left_of_a_collection_that_was_dropped(
    index: ChromaVectors, folder: ChromaFolder
) -> None:
    rows = unit_rows(60)
    other = ChromaVectors(folder, name=lambda: "other.1")
    await other.upsert(["kept"], unit_rows(1, seed=8))
    await index.upsert(ids(60), rows)
    await index.drop()

    assert await index.erase_removed()

    left = {n: files_with_vector(rows[n], folder.folder) for n in range(0, 60, 7)}
    assert not any(left.values()), left
    assert await other.ids() == {"kept"}


async def test_what_lay_in_memory_when_another_index_was_begun_is_blanked(
    index: ChromaVectors, folder: ChromaFolder
) -> None:
    other = ChromaVectors(folder, name=lambda: "other.1")
    await other.upsert(["kept"], unit_rows(1, seed=8))
    segment = segment_folder(folder.folder, "other.1")
    assert segment is not None
    rows = unit_rows(20)
    with (segment / "data_level0.bin").open("r+b") as file:
        file.seek(100)
        file.write(rows[3].tobytes())  # as Chroma does by chance
    await index.upsert(ids(20), rows)
    await index.remove(["p3"])

    assert await index.erase_removed()

    assert files_with_vector(rows[3], folder.folder) == []
    await other.upsert([f"q{n}" for n in range(60)], unit_rows(60, seed=9))
    folder.close()
    assert await other.count() == 61


async def test_without_a_database_there_is_nothing_to_erase(index: ChromaVectors) -> None:
    assert await index.erase_removed()


async def test_a_busy_database_is_told_and_the_vectors_stay_usable(
    index: ChromaVectors, folder: ChromaFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secondhop.stores.vectors.hnsw_files.PATIENCE_S", 0.01)
    rows = unit_rows(12)
    await index.upsert(ids(12), rows)
    await index.remove(["p3"])
    with closing(sqlite3.connect(folder.folder / "chroma.sqlite3")) as busy:
        busy.execute("BEGIN IMMEDIATE")
        assert not await index.erase_removed()
        busy.rollback()

    assert await index.count() == 11
    assert await index.erase_removed()
    assert files_with_vector(rows[3], folder.folder) == []
