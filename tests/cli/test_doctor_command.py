"""`secondhop doctor`, as a shell calls it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.command_line import Cli, over

pytestmark = pytest.mark.usefixtures("library_of_tests")


@pytest.fixture
def command(tmp_path: Path, no_variables: None) -> Cli:
    return over(tmp_path / "store")


def notes(command: Cli, count: int) -> None:
    for number in range(count):
        assert command("remember", f"Note {number}", "--id", f"n{number:02}").exit_code == 0


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
