"""`secondhop doctor`, as a shell calls it."""

import json
import shutil
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
    shutil.rmtree(tmp_path / "store" / "chroma")

    told, listed = command("doctor"), command("doctor", "--json")
    mended = command("doctor", "--fix")

    assert (told.exit_code, listed.exit_code, mended.exit_code) == (1, 1, 0)
    assert "damage remains; each finding says how to repair it" in told.stderr
    assert "--fix embeds them" in told.stdout
    document = json.loads(listed.stdout)
    assert (document["sound"], document["findings"][0]["check"]) == (False, "vectors")
    assert "fixed: vectors" in mended.stdout
