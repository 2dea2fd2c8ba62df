"""`secondhop playbooks …`."""

import json
from pathlib import Path

import pytest
from tests.prompts.test_library import INTENT
from typer.testing import CliRunner, Result

from secondhop.cli.app import app
from secondhop.prompts.library import shipped_intents


def playbooks(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["playbooks", *arguments])


def test_the_shipped_library_is_listed_and_sound() -> None:
    found = playbooks("--json")

    assert found.exit_code == 0
    told = json.loads(found.stdout)
    assert [one["name"] for one in told["intents"]] == [one.name for one in shipped_intents()]
    assert told["faults"] == []


def test_a_file_of_ones_own_is_checked_and_its_faults_set_the_status(tmp_path: Path) -> None:
    file = tmp_path / "garden.yaml"
    file.write_text(INTENT.format(name="planting"), encoding="utf-8")

    found = playbooks(str(file))

    assert found.exit_code == 1
    assert "garden/planting: 2 asks, 5 to 9 are wanted" in found.output


def test_a_file_that_is_not_there_is_no_sound_library(tmp_path: Path) -> None:
    found = playbooks(str(tmp_path / "none.yaml"))

    assert found.exit_code != 0
    assert "there is no playbook file" in found.output


def test_a_folder_stands_for_the_playbooks_in_it(tmp_path: Path) -> None:
    for name in ("planting", "harvest"):
        (tmp_path / f"{name}.yaml").write_text(INTENT.format(name=name), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no playbook", encoding="utf-8")

    found = playbooks(str(tmp_path), "--json")

    assert len(json.loads(found.stdout)["intents"]) == 2


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("garden.txt", b"domain: garden", "ends in .yaml"),
        ("garden.yaml", b"\xff\xfe\x00", "garden.yaml: it is no UTF-8 text"),
        ("garden.yaml", b"domain: garden\nintents: []", "garden.yaml: there is no intent in it"),
        ("garden.yaml", b"", "garden.yaml: file: a mapping"),
    ],
)
def test_what_was_not_checked_is_never_found_sound(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)

    found = playbooks(str(tmp_path / name))

    assert found.exit_code != 0
    assert said in " ".join(found.output.split())


def test_files_of_one_name_in_two_folders_are_both_checked(tmp_path: Path) -> None:
    for name in ("planting", "harvest"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.yaml").write_text(INTENT.format(name=name), encoding="utf-8")

    found = playbooks(str(tmp_path / "planting"), str(tmp_path / "harvest"), "--json")

    assert len(json.loads(found.stdout)["intents"]) == 2


def test_a_folder_without_a_playbook_is_refused(tmp_path: Path) -> None:
    found = playbooks(str(tmp_path))

    assert found.exit_code != 0
    assert "there is no playbook" in found.output
