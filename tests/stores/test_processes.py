"""Several processes on one store, and processes that are killed."""

import asyncio
import random
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager, closing
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.small_disk import disk as disk
from tests.stores.consistency import lost, wrong_postings
from tests.stores.write_forever import vector

from secondhop.errors import StoreFullError
from secondhop.models.embedder import Vectors
from secondhop.opening import open_entity
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.store_directory import StoreDirectory

WRITER = Path(__file__).with_name("write_forever.py")
KILLS = 25


@asynccontextmanager
async def opened(folder: Path, entity: str = "me") -> AsyncGenerator[EntityStore, None]:
    async with aclosing(StoreDirectory(folder)) as home:
        store = await open_entity(home, entity, embedder=TextsOwnVectors())
        async with aclosing(store):
            yield store


class TextsOwnVectors:
    """Makes the vectors that `write_forever.py` stores, for repairs, which embed texts again."""

    model_id, dimension = "hash-16", 16

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embeds a passage without the title above it."""
        return np.stack([vector(text.rpartition("\n\n")[2]) for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embeds the whole text."""
        return np.stack([vector(text) for text in texts])


def writer(folder: Path, entity: str, first: int, *last: int) -> "subprocess.Popen[str]":
    command = [sys.executable, str(WRITER), str(folder), entity, str(first), *map(str, last)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def run_and_kill(folder: Path, first: int, *, after_s: float) -> list[str]:
    """What a writer acknowledged before it was killed `after_s` seconds after it was ready."""
    with writer(folder, "me", first) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        try:
            child.wait(timeout=after_s)
        except subprocess.TimeoutExpired:
            child.kill()
        return child.stdout.read().splitlines()


def apply(acknowledged: list[str], stored: dict[str, int]) -> None:
    for line in acknowledged:
        match line.split():
            case ["put", memory_id, version]:
                stored[memory_id] = int(version)
            case _:
                stored.pop(line.split()[1], None)


async def expect(folder: Path, stored: dict[str, int], make: SimpleNamespace) -> dict[str, int]:
    """Assert that acknowledged writes are stored whole; returns {memory id: its version} now."""
    async with opened(folder) as store:
        held = await store.content_hashes()
        found: dict[str, int] = {}
        texts: dict[str, str] = {}
        for memory_id in held:
            memory = await store.memory(memory_id)
            assert memory is not None
            first = memory.messages[0].content
            found[memory_id] = int(first.split()[1].removeprefix("version"))
            texts |= {message.content: memory_id for message in memory.messages}
            before = await earlier_versions(store, memory_id)
            # earlier texts are written together with the new one, or not at all
            assert before == list(range(1, found[memory_id]))
        assert await store.look(lost) == []
        counts = await store.counts()
        assert (counts.passages, counts.vectors, counts.pending) == (len(texts), len(texts), 0)
        # acknowledged memories are there, unless a later write was under way
        for memory_id, version in stored.items():
            number = int(memory_id[1:])
            assert found.get(memory_id, 2) >= version
            assert memory_id in found or number % 5 == 1
        await expect_searchable(store, texts, make)
        await expect_cues(store, found, make)
        return found


async def expect_cues(store: EntityStore, found: dict[str, int], make: SimpleNamespace) -> None:
    """Assert that each memory has exactly the cues of its current text, and that they are found."""
    assert await store.cue_vectors.strays() == ([], [])
    hashes, cues = await store.content_hashes(), await store.cues.of_memories(list(found))
    for memory_id, version in found.items():
        ask = f"ask{memory_id[1:]}"
        given = {cue.text for cue in cues[memory_id] if cue.origin == "host"}
        assert given == {ask, f"{ask} version{version}"}
        thought = {cue.text for cue in cues[memory_id] if cue.origin == "model"}
        assert thought <= {f"read {hashes[memory_id]}"}
    some = random.Random(0).sample(sorted(found), min(25, len(found)))
    for memory_id in some:
        ((hit,),) = await store.cues.search(make.vectors(f"ask{memory_id[1:]}"), k=1)
        assert (hit.memory_id, hit.score > 0.999) == (memory_id, True)


async def earlier_versions(store: EntityStore, memory_id: str) -> list[int]:
    """Which earlier versions of a memory's text are kept, the oldest first."""
    kept = await store.look(lambda view: view.earlier_texts(memory_id))
    return [int(one.memory.messages[0].content.split()[1].removeprefix("version")) for one in kept]


async def expect_searchable(
    store: EntityStore, texts: dict[str, str], make: SimpleNamespace
) -> None:
    if not texts:
        return
    names = list(texts)
    dense = await store.dense(make.vectors(*names), k=1)
    assert [hits[0].memory_id for hits in dense] == list(texts.values())
    assert all(hits[0].score > 0.999 for hits in dense)
    for text in random.Random(0).sample(names, min(25, len(names))):
        word = text.split()[0]
        hits = (await store.lexical([word], k=9))[0]
        assert {hit.memory_id for hit in hits} == {texts[text]}
        assert len(hits) == sum(name.split()[0] == word for name in names)
    ids = [hit.passage_id for hits in dense for hit in hits]
    assert len(await store.passages(ids)) == len(await store.vectors(ids)) == len(names)


def postings_agree(folder: Path) -> None:
    """Assert that the lexical index agrees with the stored text."""
    (path,) = folder.glob("entities/*/catalog.db")
    with closing(Catalog(path)) as catalog:
        assert wrong_postings(catalog) == []


@pytest.mark.slow
async def test_nothing_acknowledged_is_lost_and_nothing_half_stored_however_often_it_is_killed(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    moments = random.Random(7)
    stored: dict[str, int] = {}
    folder = tmp_path / "store"
    for round_no in range(KILLS):
        acknowledged = await asyncio.to_thread(
            run_and_kill, folder, 1_000 * round_no, after_s=moments.uniform(0.0, 0.6)
        )
        apply(acknowledged, stored)
        if round_no == KILLS // 2:
            cut_short(folder)
        stored = await expect(folder, stored, make)
    assert len(stored) > KILLS
    await asyncio.to_thread(postings_agree, folder)


def cut_short(folder: Path) -> None:
    """Leave the index as a kill in the middle of Chroma's own write would leave it.

    That happens once in about fifty kills; this function makes it happen in every run.
    """
    for written in (folder / "chroma").glob("*/index_metadata.pickle"):
        written.write_bytes(b"")


@pytest.mark.slow
async def test_a_reader_sees_what_another_process_writes(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    folder = tmp_path / "store"
    async with opened(folder) as mine:
        await mine.put([make.memory(f"mine{n}", f"mine {n}") for n in range(120)])
        with writer(folder, "me", 0, 60) as child:
            while child.poll() is None:
                found = await mine.dense(make.vectors("mine 7"), k=1)
                assert found[0][0].memory_id == "mine7"
        assert child.returncode == 0
        await mine.put([make.memory(f"late{n}", f"late {n}") for n in range(120)])
        counts = await mine.counts()
        assert (counts.memories, counts.pending) == (120 + 48 + 120, 0)
        texts = ["word0 version2 part0", "mine 7", "late 7"]
        found = await mine.dense(make.vectors(*texts), k=1)
        assert [hits[0].memory_id for hits in found] == ["m0", "mine7", "late7"]
    async with opened(folder) as again:
        found = await again.dense(make.vectors("word0 version2 part0", "late 7"), k=1_000)
        assert [len(hits) for hits in found] == [counts.passages] * 2


@pytest.mark.slow
async def test_processes_that_write_at_once_lose_nothing(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    folder = tmp_path / "store"
    async with opened(folder) as first:
        await first.put([make.memory("start", "start")])
    jobs = [("me", 0, 100), ("me", 1_000, 1_100), ("other", 0, 100)]
    children = [writer(folder, *job) for job in jobs]
    for child in children:
        with child:
            await asyncio.to_thread(child.communicate, timeout=120)
        assert child.returncode == 0
    for entity, memories in (("me", 1 + 80 + 80), ("other", 80)):
        async with opened(folder, entity) as store:
            counts = await store.counts()
            assert (counts.memories, counts.pending) == (memories, 0)
            assert counts.vectors == counts.passages
            found = await store.dense(make.vectors("word2 version1 part0"), k=1_000)
            assert len(found[0]) == counts.passages


async def put_until_full(store: EntityStore, make: SimpleNamespace, *, batch: int) -> int:
    """Put memories until the disk is full; returns how many were acknowledged."""
    stored = 0
    with pytest.raises(StoreFullError, match="free"):  # noqa: PT012 - the loop is the point
        while True:
            numbers = range(stored, stored + batch)
            await store.put([make.memory(f"m{n}", f"text {n} " * 200) for n in numbers])
            stored += batch
    return stored


@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 100])
async def test_a_full_disk_stores_nothing_by_half(
    disk: Path, make: SimpleNamespace, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a smaller reserve than usual, so that SQLite meets the full disk, and not only our own check
    monkeypatch.setattr("secondhop.stores.vectors.chroma_folder.RESERVE_BYTES", 4 * 2**20)
    folder = disk / "store"
    async with opened(folder) as store:
        filler = disk / "filler"
        filler.write_bytes(bytes(16 * 2**20))
        stored = await put_until_full(store, make, batch=batch)
        assert stored
        assert (await store.counts()).memories == stored
    filler.write_bytes(bytes(int(shutil.disk_usage(disk).free * 0.98) + 16 * 2**20))
    async with opened(folder) as store:
        with pytest.raises(StoreFullError):
            await store.put([make.memory("big", "text " * 200_000)])
        assert await store.memory("big") is None
    filler.unlink()
    async with opened(folder) as store:
        counts = await store.counts()
        assert (counts.memories, counts.vectors, counts.pending) == (stored, stored, 0)
        last = f"text {stored - 1} " * 200
        assert (await store.dense(make.vectors(last), k=1))[0][0].memory_id == f"m{stored - 1}"
        await store.put([make.memory("after", "there is space again")])
        assert (await store.lexical(["space again"], k=1))[0]
