"""The room that Chroma leaves in a new index holds nothing of what lay in memory."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.marked_memory import MARKS, files_with_mark, marked_memory

from secondhop.stores.records import Vectors
from secondhop.stores.vectors.chroma import ChromaVectors
from secondhop.stores.vectors.folder import ChromaFolder
from secondhop.stores.vectors.hnsw_files import read_header, segment_folder
from secondhop.stores.vectors.spare_room import SpareRooms

DIMENSION = 48
NAME = "room.1"


@pytest.fixture
def filled_memory() -> Iterator[None]:
    with marked_memory():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ChromaFolder]:
    with closing(client_of(tmp_path)) as client:
        yield client


def client_of(place: Path) -> ChromaFolder:
    return ChromaFolder(place / "chroma", locks=place / "locks")


def index_of(client: ChromaFolder, name: str = NAME) -> ChromaVectors:
    return ChromaVectors(client, name=lambda: name)


def unit_rows(count: int, *, seed: int = 7) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    return np.array(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def ids(count: int) -> list[str]:
    return [f"p{n}" for n in range(count)]


def marked(client: ChromaFolder) -> list[str]:
    return files_with_mark(client.folder)


def files_of(client: ChromaFolder, name: str = NAME) -> Path:
    files = segment_folder(client.folder, name)
    assert files is not None
    return files


@pytest.mark.usefixtures("filled_memory")
async def test_chroma_itself_writes_what_lay_in_memory(
    folder: ChromaFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(_: SpareRooms, name: str) -> None:
        """Chroma alone."""

    monkeypatch.setattr(SpareRooms, "blank", leave)

    await index_of(folder).upsert(ids(10), unit_rows(10))

    assert "data_level0.bin" in marked(folder)


@pytest.mark.usefixtures("filled_memory")
@pytest.mark.parametrize("count", [1, 49, 60, 130])
async def test_a_new_index_is_blank_behind_its_vectors_and_stays_so_while_it_grows(
    folder: ChromaFolder, count: int
) -> None:
    index, names, rows = index_of(folder), ids(count + 80), unit_rows(count + 80)
    await index.upsert(names[:count], rows[:count])
    assert marked(folder) == []

    for start in range(count, count + 80, 20):
        await index.upsert(names[start : start + 20], rows[start : start + 20])
        assert marked(folder) == []

    assert await index.ids() == set(names)
    assert [hits[0][0] for hits in await index.nearest(rows, k=1)] == names
    folder.close()
    assert [hits[0][0] for hits in await index.nearest(rows, k=1)] == names


@pytest.mark.usefixtures("filled_memory")
async def test_a_small_index_that_is_opened_again_is_blank(folder: ChromaFolder) -> None:
    await index_of(folder).upsert(ids(10), unit_rows(10))
    folder.close()

    with folder.reading(NAME):  # Chroma has loaded it
        assert marked(folder) == []


@pytest.mark.usefixtures("filled_memory")
async def test_a_small_index_that_chroma_had_dropped_from_memory_is_blank(
    folder: ChromaFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secondhop.stores.vectors.folder._OPEN_COLLECTIONS", 2)
    names = [f"room.{n}" for n in range(24)]  # Chroma chooses by chance which ones it drops
    for name in names:
        await index_of(folder, name).upsert(ids(10), unit_rows(10))
    begun = [files_of(folder, name) / "header.bin" for name in names]
    before = [path.stat().st_mtime_ns for path in begun]

    for name in names:
        assert len((await index_of(folder, name).nearest(unit_rows(1), k=3))[0]) == 3

    assert [path.stat().st_mtime_ns for path in begun] != before, "reading began some anew"
    assert marked(folder) == []


@pytest.mark.usefixtures("filled_memory")
async def test_indexes_that_are_begun_at_the_same_time_are_all_blank(
    folder: ChromaFolder, tmp_path: Path
) -> None:
    with closing(client_of(tmp_path)) as other:
        indexes = [index_of((folder, other)[n % 2], f"room.{n}") for n in range(8)]

        await asyncio.gather(*(index.upsert(ids(10), unit_rows(10)) for index in indexes))

        assert marked(folder) == []
        assert [await index.count() for index in indexes] == [10] * 8


@pytest.mark.parametrize("count", [10, 60])
async def test_what_an_older_version_left_is_blanked_and_no_vector_with_it(
    folder: ChromaFolder, count: int
) -> None:
    index, rows = index_of(folder), unit_rows(count)
    await index.upsert(ids(count), rows)
    folder.close()
    files = files_of(folder)
    header = read_header(files)
    used = {
        "data_level0.bin": header.elements * header.element_size,
        "length.bin": header.elements * 4,
    }
    vectors = {name: (files / name).read_bytes()[:size] for name, size in used.items()}
    for name, size in used.items():
        room = (files / name).stat().st_size - size
        (files / name).write_bytes(vectors[name] + (MARKS[0] * room)[:room])
    assert marked(folder) == sorted(used)

    assert await index.count() == count

    assert marked(folder) == []
    assert {name: (files / name).read_bytes()[:size] for name, size in used.items()} == vectors
    assert [hits[0][0] for hits in await index.nearest(rows, k=1)] == ids(count)


@pytest.mark.usefixtures("filled_memory")
async def test_a_room_that_cannot_be_blanked_costs_no_write_and_is_blanked_by_the_next_load(
    folder: ChromaFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    index = index_of(folder)

    def refused(_: Path) -> None:
        raise PermissionError("not yours")

    with monkeypatch.context() as patched:
        patched.setattr("secondhop.stores.vectors.spare_room.blank_litter", refused)
        await index.upsert(ids(60), unit_rows(60))
        assert await index.count() == 60
    assert "data_level0.bin" in marked(folder)
    assert ["not yours" in record.getMessage() for record in caplog.records] == [True]
    folder.close()

    assert await index.count() == 60

    assert marked(folder) == []
