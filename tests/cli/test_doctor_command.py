"""`secondhop doctor`, as a shell calls it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.command_line import Cli, over

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


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_entity_without_memory_is_not_called_sound(command: Cli, form: list[str]) -> None:
    notes(command, 1)

    examined = command("doctor", "--entity", "nobody", *form)
    counted = command("stats", "--entity", "nobody", *form)

    assert (examined.exit_code, counted.exit_code) == (1, 1)
    assert "no memory is stored for entity 'nobody'" in examined.stderr
    assert examined.stderr == counted.stderr
    assert examined.stdout == ""
