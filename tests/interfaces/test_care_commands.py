"""`secondhop doctor`, as a shell calls it."""

import asyncio
import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from tests.command_line import Cli, over

from secondhop.cli import progress
from secondhop.ingest.run import IngestProgress
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")


@pytest.fixture
def command(tmp_path: Path, no_variables: None) -> Cli:
    return over(tmp_path / "store")


def notes(command: Cli, count: int) -> None:
    for number in range(count):
        assert command("remember", f"Note {number}", "--id", f"n{number:02}").exit_code == 0


async def turn_a_vector(folder: Path, memory_id: str) -> None:
    """Another vector in the place of the memory's."""
    async with await Recall.aopen(folder / "store", embedder="hashing") as recall:
        (passage,) = [i for i in await recall.store.vector_ids() if i.startswith(f"{memory_id}:")]
        vector = np.eye(1, 256, dtype=np.float32)
        await vars(recall.store)["_index"].upsert([passage], vector)


def test_a_sound_memory_ends_well(command: Cli) -> None:
    notes(command, 2)

    told = command("doctor")

    assert (told.exit_code, told.stdout.splitlines()[-1]) == (0, "Nothing was found.")


def test_damage_ends_with_status_1_and_names_its_cure(command: Cli, tmp_path: Path) -> None:
    notes(command, 2)
    (catalog,) = (tmp_path / "store").rglob("catalog.db")
    with closing(sqlite3.connect(catalog)) as raw, raw:
        raw.execute("INSERT INTO postings VALUES (0, 'zzz', x'0000000000000000')")

    told, listed = command("doctor"), command("doctor", "--json")
    mended = command("doctor", "--fix")

    assert (told.exit_code, listed.exit_code, mended.exit_code) == (1, 1, 0)
    assert "damage is left; each finding names its cure" in told.stderr
    assert "--fix rebuilds it" in told.stdout
    document = json.loads(listed.stdout)
    assert (document["sound"], document["findings"][0]["check"]) == (False, "word index")
    assert "fixed: word index" in mended.stdout


@pytest.mark.slow
def test_all_embeds_every_passage_and_draws_a_bar(
    command: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, int, int | None]] = []

    @contextmanager
    def bars() -> Generator[IngestProgress, None, None]:
        yield lambda stage, done, total: heard.append((stage, done, total))

    notes(command, 40)
    asyncio.run(turn_a_vector(tmp_path, "n01"))  # a sample of 32 takes every other one
    monkeypatch.setattr(progress, "bars", bars)

    sample, every = command("doctor"), command("doctor", "--all")

    assert (sample.exit_code, every.exit_code) == (0, 1)
    assert "1 of 40 passages, vectors that the model does not give today" in every.stdout
    assert heard == [("embed", 20, 20), ("embed", 40, 40)]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_entity_without_memory_is_not_called_sound(command: Cli, form: list[str]) -> None:
    notes(command, 1)

    examined = command("doctor", "--entity", "nobody", *form)
    counted = command("stats", "--entity", "nobody", *form)

    assert (examined.exit_code, counted.exit_code) == (1, 1)
    assert "no memory is stored for entity 'nobody'" in examined.stderr
    assert examined.stderr == counted.stderr
    assert examined.stdout == ""
