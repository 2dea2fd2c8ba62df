"""Ctrl-C while `secondhop ingest` works, in its own process."""

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import aclosing, closing
from functools import partial
from pathlib import Path

import pytest

from secondhop.models.hashing import HashingEmbedder
from secondhop.settings import variable_names
from secondhop.stores.records import StoreCounts
from secondhop.stores.store_directory import StoreDirectory

NOTES = 900
LONGEST_S = 5.0
"""Most seconds until it ends; about one on an idle machine."""


def write_notes(folder: Path) -> None:
    folder.mkdir()
    chance = random.Random(3)
    known = [f"word{number}" for number in range(900)]
    for number in range(NOTES):
        paragraphs = [" ".join(chance.choices(known, k=70)) for _ in range(6)]
        (folder / f"n{number:03}.md").write_text("\n\n".join(paragraphs), encoding="utf-8")


def ingesting(notes: Path, store: Path) -> "subprocess.Popen[str]":
    environment = {key: value for key, value in os.environ.items() if key not in variable_names()}
    if kept := os.environ.get("SECONDHOP_MODEL_DIR"):
        environment["SECONDHOP_MODEL_DIR"] = kept
    place = ["--store", str(store), "--embedder", "hashing", "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "secondhop", "ingest", str(notes), *place],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment | {"SECONDHOP_OFFLINE": "1"},
        # a job in the background of a shell ignores SIGINT, and so would its children
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def holds_memories(store: Path) -> bool:
    """Whether a first batch is stored, as another process sees it."""
    for catalog in store.glob("entities/*/catalog.db"):
        with closing(sqlite3.connect(f"file:{catalog}?mode=ro", uri=True)) as file:
            try:
                return bool(file.execute("SELECT EXISTS (SELECT 1 FROM memories)").fetchone()[0])
            except sqlite3.OperationalError:  # the catalog is being created
                return False
    return False


async def counted(folder: Path) -> StoreCounts:
    embedder = HashingEmbedder()
    async with aclosing(StoreDirectory(folder)) as home:
        store = await home.open_entity(
            "default", embedder_id=embedder.model_id, dimension=embedder.dimension
        )
        async with aclosing(store):
            return await store.counts()


@pytest.mark.slow
@pytest.mark.model
def test_an_interrupted_ingest_stops_soon_and_the_same_command_goes_on(tmp_path: Path) -> None:
    notes, folder = tmp_path / "notes", tmp_path / "store"
    write_notes(notes)

    with ingesting(notes, folder) as child:
        while child.poll() is None and not holds_memories(folder):
            time.sleep(0.01)
        interrupted_at = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, said = child.communicate(timeout=60)
        took_s = time.monotonic() - interrupted_at

    assert child.returncode == 130, said
    assert said.startswith("secondhop: interrupted; ")
    assert "the same command continues with the rest" in said
    assert (out, said.count("\n")) == ("", 1)
    assert took_s < LONGEST_S
    half = asyncio.run(counted(folder))
    assert 0 < half.memories < NOTES
    assert (half.vectors, half.pending) == (half.passages, 0)

    with ingesting(notes, folder) as again:
        out, said = again.communicate(timeout=120)
    assert again.returncode == 0, said
    ledger = json.loads(out)
    assert (ledger["stored"], ledger["unchanged"]) == (NOTES - half.memories, half.memories)
