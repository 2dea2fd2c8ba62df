"""After a process is killed while Chroma writes its files, opening the entity repairs them."""

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing, closing
from pathlib import Path

import pytest
from tests.fakes import note

from secondhop.errors import CorruptStoreError, StoreError
from secondhop.ingest.pipeline import ingest_memories
from secondhop.memories.reindex import areindex
from secondhop.models.embedder import Vectors
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.models.hashing import HashingEmbedder
from secondhop.opening import open_entity
from secondhop.recall import Recall
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.records import Memory
from secondhop.stores.store_directory import StoreDirectory

NOTES = 130
"""Enough notes that Chroma writes its files and a rebuild needs more than one batch."""
OPEN_AND_ASK = Path(__file__).with_name("open_and_ask.py")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("library_of_tests")]


class CountingEmbedder(HashingEmbedder):
    """The hashing embedder, which counts the passages it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.passages = 0

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Count and embed passages."""
        self.passages += len(texts)
        return await super().embed_passages(texts)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 130 notes, closed."""
    path = tmp_path_factory.mktemp("filled") / "store"
    asyncio.run(fill(path))
    return path


async def fill(path: Path) -> None:
    """Store notes as `Recall.aadd` does, with cached embeddings."""
    cache = path / "entities" / entity_slug("default") / "embeddings.db"
    with closing(CachingEmbedder(HashingEmbedder(), cache)) as embedder:
        async with aclosing(StoreDirectory(path)) as home:
            store = await open_entity(home, "default", embedder=embedder)
            async with aclosing(store):
                notes = [about(number) for number in range(NOTES)]
                await ingest_memories(notes, writer=store, embedder=embedder)


@pytest.fixture
def folder(filled: Path, tmp_path: Path) -> Path:
    """A copy of the store, to damage."""
    return Path(shutil.copytree(filled, tmp_path / "store"))


@pytest.fixture
async def expected(filled: Path) -> list[list[str]]:
    """The answers to the questions from the undamaged store."""
    return await answers(filled)


def about(number: int) -> Memory:
    """A note of words that no other note has."""
    return note(f"n{number}", " ".join(words(number)))


def words(number: int) -> list[str]:
    letters = random.Random(number)
    return ["".join(letters.choices("aeioubdkmnrst", k=7)) for _ in range(12)]


QUESTIONS = [f"What about {' '.join(words(number)[:4])}?" for number in (17, 101)]


async def answers(path: Path) -> list[list[str]]:
    async with await Recall.aopen(path, embedder="hashing") as recall:
        return [(await recall.arecall(question)).ids() for question in QUESTIONS[:1]]


def segment(path: Path) -> Path:
    (pickle,) = (path / "chroma").glob("*/index_metadata.pickle")
    return pickle.parent


def cut(path: Path, share: float) -> None:
    """Truncate the file that Chroma writes last to a share of its size."""
    pickle = segment(path) / "index_metadata.pickle"
    os.truncate(pickle, int(pickle.stat().st_size * share))


def forget_embeddings(path: Path) -> None:
    (cache,) = path.glob("entities/*/embeddings.db")
    cache.unlink()


def cut_off_marks(path: Path) -> list[Path]:
    """The mark of each collection that exists while Chroma writes the collection's files."""
    return [lock.with_suffix(".unfinished") for lock in path.glob("locks/*.index")]


def generation(path: Path) -> int:
    """The number of the rebuild that made the vectors in use."""
    (file,) = path.glob("entities/*/catalog.db")
    catalog = Catalog(file)
    try:
        return catalog.identity().generation
    finally:
        catalog.close()


@pytest.mark.parametrize("share", [0.0, 0.3])
async def test_an_index_that_was_cut_short_is_rebuilt_when_it_is_opened(
    folder: Path, expected: list[list[str]], share: float, caplog: pytest.LogCaptureFixture
) -> None:
    cut(folder, share)
    embedder = CountingEmbedder()

    async with await Recall.aopen(folder, embedder=embedder) as recall:
        assert embedder.passages == 0  # every vector was in the embedding cache
        counts = await recall.memories.acounts()
        found = [(await recall.arecall(question)).ids() for question in QUESTIONS[:1]]

    assert found == expected
    assert (counts.memories, counts.passages, counts.vectors) == (NOTES, NOTES, NOTES)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    assert "a process was killed" in caplog.text
    assert f"all {NOTES} passages are rebuilt" in caplog.text
    assert words(0)[0] not in caplog.text
    assert generation(folder) == 2

    caplog.clear()
    assert await answers(folder) == expected
    assert not caplog.records


def header_ahead_of_the_vectors(files: Path) -> None:
    """Leave the files as a kill between two writes of one save would leave them."""
    os.truncate(files / "data_level0.bin", 9_000)


def vectors_not_written_yet(files: Path) -> None:
    with (files / "data_level0.bin").open("r+b") as file:
        file.seek(9_000)
        file.write(bytes(3_000))


@pytest.mark.parametrize("damage", [header_ahead_of_the_vectors, vectors_not_written_yet])
async def test_contradicting_files_are_rebuilt_only_where_a_write_did_not_end(
    folder: Path, expected: list[list[str]], damage: Callable[[Path], None]
) -> None:
    damage(segment(folder))
    with pytest.raises(CorruptStoreError, match=r"are damaged.*secondhop reindex"):
        await Recall.aopen(folder, embedder="hashing")
    assert generation(folder) == 1

    cut_off_marks(folder)[0].touch()
    assert await answers(folder) == expected
    assert generation(folder) == 2
    assert not any(mark.exists() for mark in cut_off_marks(folder))


def opening(folder: Path, *, pause_after: int = 0) -> "subprocess.Popen[str]":
    command = [sys.executable, str(OPEN_AND_ASK), str(folder), str(pause_after), *QUESTIONS]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
async def test_a_rebuild_that_is_killed_itself_is_done_again(
    folder: Path, expected: list[list[str]]
) -> None:
    cut(folder, 0.5)
    forget_embeddings(folder)

    for pause_after in (100, 1):
        with opening(folder, pause_after=pause_after) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "in the middle\n"
            child.kill()
        assert generation(folder) == 1

    assert await answers(folder) == expected
    assert generation(folder) == 2
    assert len(list((folder / "chroma").glob("*/"))) == 1


@pytest.mark.slow
async def test_processes_that_reopen_at_once_repair_it_once(folder: Path) -> None:
    cut(folder, 0.5)
    children = [opening(folder) for _ in range(3)]
    said = ["", "", ""]
    for number, child in enumerate(children):
        with child:
            out, said[number] = await asyncio.to_thread(child.communicate, timeout=120)
        assert child.returncode == 0, said[number]
        assert json.loads(out) == ["n17", "n101"]

    assert generation(folder) == 2
    assert sum("are rebuilt" in errors for errors in said) == 1


async def test_an_open_entity_is_not_reindexed_and_its_writer_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    async with await Recall.aopen(folder, embedder="hashing") as recall:
        await recall.memories.aremember("The key is under the mat")
        with pytest.raises(StoreError, match=r"is open.*nothing was reindexed"):
            await areindex(folder, embedder="hashing")
        await recall.memories.aremember("The ladder is in the shed")

    assert await areindex(folder, embedder="hashing") == 2
