"""`secondhop ingest` is killed again and again: the store stays whole, and a rerun finishes."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from secondhop.ingest.batches import embedding_text
from secondhop.ingest.chunk import chunk_memory
from secondhop.models.hashing import HashingEmbedder
from secondhop.opening import open_entity
from secondhop.settings import variable_names
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import Memory
from secondhop.stores.store_directory import StoreDirectory

NOTES = 400
REWRITTEN = 120
"""How many notes change before each run, so that it both stores and replaces."""
KILLS = 8
MOST_RUNS = 24
WORDS = [f"word{number}" for number in range(900)]


class Notes:
    """A folder of notes of about three passages; each note ends with its number and version."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.chance = random.Random(5)
        self.versions = dict.fromkeys((f"n{number:03}.md" for number in range(NOTES)), 0)
        folder.mkdir()
        for name in self.versions:
            self.write(name)

    def write(self, name: str) -> None:
        paragraphs = [" ".join(self.chance.choices(WORDS, k=70)) for _ in range(6)]
        text = "\n\n".join([*paragraphs, ending(name, self.versions[name])])
        (self.folder / name).write_text(text, encoding="utf-8")

    def rewrite_some(self) -> None:
        for name in self.chance.sample(sorted(self.versions), REWRITTEN):
            self.versions[name] += 1
            self.write(name)


def ending(name: str, version: int) -> str:
    return f"end of {name} version {version}"


def ingesting(notes: Path, store: Path) -> "subprocess.Popen[bytes]":
    """Start `secondhop ingest` in its own process."""
    place = ["--store", str(store), "--embedder", "hashing"]
    environment = {key: value for key, value in os.environ.items() if key not in variable_names()}
    if kept := os.environ.get("SECONDHOP_MODEL_DIR"):
        environment["SECONDHOP_MODEL_DIR"] = kept
    return subprocess.Popen(
        [sys.executable, "-m", "secondhop", "ingest", str(notes), *place],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment | {"SECONDHOP_OFFLINE": "1"},
    )


def has_begun_to_write(store: Path) -> bool:
    """Whether this run has written: SQLite's log, which an orderly close empties, is not empty."""
    return any(log.stat().st_size for log in store.glob("entities/*/catalog.db-wal"))


def run_and_kill(notes: Path, store: Path, *, after_s: float, from_start: bool) -> int:
    """Exit status of an ingest killed `after_s` seconds after its start or its first write."""
    with ingesting(notes, store) as child:
        while not from_start and child.poll() is None and not has_begun_to_write(store):
            time.sleep(0.005)
        try:
            return child.wait(timeout=after_s)
        except subprocess.TimeoutExpired:
            child.kill()
            return child.wait()


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[EntityStore, None]:
    async with aclosing(StoreDirectory(folder)) as home:
        store = await open_entity(home, "default", embedder=HashingEmbedder())
        async with aclosing(store):
            yield store


async def expect_whole(folder: Path) -> dict[str, str]:
    """{memory id: its text}; asserts that nothing in the store is incomplete or left over."""
    async with opened(folder) as store:
        held = await store.content_hashes()
        passages = 0
        texts: dict[str, str] = {}
        cards = await store.cards(list(held))
        for memory_id, content_hash in held.items():
            memory = await store.memory(memory_id)
            assert memory is not None
            assert memory.content_hash == content_hash
            await expect_memory(store, memory)
            passages += cards[memory_id].passage_count
            texts[memory_id] = memory.messages[-1].content
        counts = await store.counts()
        assert (counts.memories, counts.pending) == (len(held), 0)
        assert (counts.passages, counts.vectors) == (passages, passages)
        return texts


async def expect_memory(store: EntityStore, memory: Memory) -> None:
    """Assert that all of a memory's text is in passages, each with the vector of its own text."""
    ids = (await store.passage_ids([memory.memory_id]))[memory.memory_id]
    assert [one.passage_id for one in chunk_memory(memory)] == ids
    found = await store.passages(ids)
    vectors = await store.vectors(ids)
    assert ids == sorted(found, key=ids.index) == sorted(vectors, key=ids.index)
    text = memory.messages[-1].content
    assert text.startswith(found[ids[0]].text[:100])
    assert text.split()[-5:] == found[ids[-1]].text.split()[-5:]
    wanted = await HashingEmbedder().embed_passages(
        [embedding_text(memory, found[passage_id]) for passage_id in ids]
    )
    np.testing.assert_allclose(np.stack([vectors[one] for one in ids]), wanted, atol=1e-5)


@pytest.mark.slow
@pytest.mark.model
async def test_a_killed_ingest_leaves_a_whole_store_and_the_next_one_ends_it(
    tmp_path: Path,
) -> None:
    moments = random.Random(11)
    notes, folder = Notes(tmp_path / "notes"), tmp_path / "store"
    kills: list[int] = []
    for run in range(MOST_RUNS):
        status = await asyncio.to_thread(
            run_and_kill,
            notes.folder,
            folder,
            after_s=moments.uniform(0.0, 4.0 if run % 4 == 3 else 1.6),
            from_start=run % 4 == 3,
        )
        assert status in {0, -signal.SIGKILL}
        kills += [run] * (status != 0)
        await expect_whole(folder)
        notes.rewrite_some()
        if len(kills) == KILLS:
            break
    assert len(kills) == KILLS

    with ingesting(notes.folder, folder) as undisturbed:
        assert await asyncio.to_thread(undisturbed.wait, 120) == 0
    texts = await expect_whole(folder)
    assert {name: text.rpartition("\n")[2] for name, text in texts.items()} == {
        name: ending(name, version) for name, version in notes.versions.items()
    }
