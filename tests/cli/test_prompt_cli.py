"""`prompts show`: which prompts are in force, and what is wrong with a file."""

from hashlib import sha256
from pathlib import Path

import pytest
from tests.cli.prompt_lab import tiny_scenario, variant_of
from tests.command_line import Cli, document

from secondhop.prompts.templates import PROMPT_NAMES, shipped_prompt


@pytest.fixture
def cli(cli: Cli, monkeypatch: pytest.MonkeyPatch, library_of_tests: None) -> Cli:
    """Runs a command without settings and without prompts of our own."""
    monkeypatch.setenv("COLUMNS", "200")
    return cli


def own_prompts() -> Path:
    """A folder with a prompt `expand` of our own."""
    Path("mine").mkdir()
    return variant_of("expand", Path("mine/expand.md")).parent


def test_the_list_names_every_prompt_its_version_hash_and_variables(cli: Cli) -> None:
    listed = document(cli("prompts", "show", "--json"))["prompts"]

    assert [row["name"] for row in listed] == list(PROMPT_NAMES)
    assert {row["path"] for row in listed} == {"shipped"}
    decompose = shipped_prompt("decompose")
    assert listed[0]["hash"] == decompose.sha256
    assert listed[0]["variables"] == sorted(decompose.variables)
    assert decompose.sha256[:12] in cli("prompts", "show").stdout


@pytest.mark.parametrize("by", ["variable", "option"])
def test_a_folder_of_our_own_replaces_what_ships(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    folder = own_prompts()
    if by == "variable":
        monkeypatch.setenv("SECONDHOP_PROMPTS", str(folder))
        listed = cli("prompts", "show", "--json")
    else:
        listed = cli("prompts", "show", "--json", "--prompts", folder)

    paths = {row["name"]: row["path"] for row in document(listed)["prompts"]}
    assert paths == {
        "decompose": "shipped",
        "expand": "mine/expand.md",
        "critique": "shipped",
        "observe": "shipped",
        "annotate": "shipped",
    }


def test_what_show_prints_is_the_prompt_to_the_last_byte(cli: Cli) -> None:
    shown = cli("prompts", "show", "expand")

    assert sha256(shown.stdout_bytes).hexdigest() == shipped_prompt("expand").sha256
    assert document(cli("prompts", "show", "expand", "--json"))["text"] == shown.stdout


@pytest.mark.model
def test_a_prompt_is_shown_as_a_model_would_read_it(cli: Cli, tmp_path: Path) -> None:
    cli("ingest", tiny_scenario(tmp_path / "tiny"))
    asked = ("--rendered", "My plan for the job?", "--at", "2025-11-17", "--json")

    rendered = {
        name: document(cli("prompts", "show", name, *asked))["rendered"] for name in PROMPT_NAMES
    }

    assert all("My plan for the job?" in one["user"] for one in rendered.values())
    assert "Today is 2025-11-17" in rendered["decompose"]["user"]
    assert "<map " in rendered["expand"]["user"]
    assert "cut onboarding from nine weeks" in rendered["critique"]["user"]
    people = cli("prompts", "show", "critique", *asked[:-1])
    assert "--- user ---" in people.stdout.splitlines()
