"""Prompt files: read and rendered strictly, replaced by a directory, identified by their hash."""

from pathlib import Path

import pytest

from secondhop.prompts.templates import (
    PROMPT_NAMES,
    TRIED_PROMPTS,
    PromptError,
    load_prompts,
    parse_prompt,
    shipped_prompt,
    tried_prompt,
)

EXPAND = Path(__file__).parents[2] / "prompts" / "expand.md"

FILE = """---
name: greet
version: 2
schema: Greeting
variables: [who, place]
---
You greet for $$5.
--- user ---
Greet $who in ${place}.
"""


def test_a_prompt_is_read_and_rendered() -> None:
    prompt = parse_prompt(FILE, name="greet", path="x")

    rendered = prompt.render({"who": "Ana $place", "place": "Bonn"})

    assert (prompt.version, prompt.schema) == (2, "Greeting")
    assert rendered.system == "You greet for $5."
    assert rendered.user == "Greet Ana $place in Bonn."


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"who": "Ana"}, "missing place"),
        ({"who": "Ana", "place": "Bonn", "mood": "good"}, "unknown mood"),
    ],
)
def test_missing_and_unused_variables_are_errors(values: dict[str, str], fault: str) -> None:
    with pytest.raises(PromptError, match=fault):
        parse_prompt(FILE, name="greet", path="x").render(values)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("$who", "Ana", "missing who"),
        ("$who", "$who $mood", "unknown mood"),
        ("$$5", "$5", "write \\$\\$"),
        ("--- user ---", "user:", "must part"),
        ("version: 2\n", "", "missing version"),
        ("version: 2", "version: two", "whole number"),
        ("version: 2", "version: [", "not YAML"),
        ("name: greet", "name: gret", "says name: gret"),
        ("name: greet", "author: me\nname: greet", "unknown author"),
        ("---\nname", "name", "begins with front matter"),
        ("name: greet\nversion: 2\nschema: Greeting\nvariables: [who, place]", "- 1", "must hold"),
    ],
)
def test_a_faulty_file_is_refused_and_the_fault_named(old: str, new: str, fault: str) -> None:
    with pytest.raises(PromptError, match=fault):
        parse_prompt(FILE.replace(old, new, 1), name="greet", path="x")


def test_the_hash_changes_with_the_text_and_not_with_line_ends() -> None:
    prompt = parse_prompt(FILE, name="greet", path="x")

    assert parse_prompt(FILE.replace("\n", "\r\n"), name="greet", path="y").sha256 == prompt.sha256
    assert parse_prompt(FILE.replace("Greet", "Hail"), name="greet", path="x").label != prompt.label
    assert prompt.label == f"greet.v2@{prompt.sha256[:12]}"


def test_every_prompt_of_a_recall_ships() -> None:
    prompts = load_prompts()

    assert tuple(prompts) == PROMPT_NAMES
    assert {prompt.path for prompt in prompts.values()} == {"shipped"}


def test_a_directory_replaces_single_prompts(tmp_path: Path) -> None:
    shipped = load_prompts()["expand"]
    text = EXPAND.read_text(encoding="utf-8").replace("You plan", "You think up")
    (tmp_path / "expand.md").write_text(text, encoding="utf-8")

    prompts = load_prompts(tmp_path)

    assert prompts["expand"].system.startswith("You think up")
    assert prompts["expand"].sha256 != shipped.sha256
    assert prompts["critique"].path == "shipped"


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("expnd", "", "", "no prompt has that name"),
        ("expand", "$rounds", "some", "missing rounds"),
        ("expand", "schema: ExpandReply", "schema: Other", "must be ExpandReply"),
    ],
)
def test_a_directory_with_a_faulty_prompt_is_refused(
    tmp_path: Path, name: str, old: str, new: str, fault: str
) -> None:
    text = EXPAND.read_text(encoding="utf-8").replace(old, new)
    (tmp_path / f"{name}.md").write_text(text.replace("rounds, ", "") if new == "some" else text)

    with pytest.raises(PromptError, match=fault):
        load_prompts(tmp_path)


def test_a_prompt_may_do_without_what_came_later(tmp_path: Path) -> None:
    text = EXPAND.read_text(encoding="utf-8")
    (tmp_path / "expand.md").write_text(text.replace(", kept]", "]").replace("$kept", ""))

    older, shipped = load_prompts(tmp_path)["expand"], load_prompts()["expand"]

    assert (older.lacks, shipped.lacks) == (["kept"], [])
    assert "kept" not in older.variables


def test_a_folder_that_is_not_there_and_a_file_that_is_no_text_are_named(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="is not a folder"):
        load_prompts(tmp_path / "none")
    (tmp_path / "expand.md").write_bytes(b"\xff\xfe")
    with pytest.raises(PromptError, match="cannot be read"):
        load_prompts(tmp_path)


def test_a_prompt_that_no_recall_uses_is_not_tried_in_recalls(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    for name in TRIED_PROMPTS:
        file.write_text(shipped_prompt(name).text, encoding="utf-8")
        assert tried_prompt(file).name == name
    file.write_text(shipped_prompt("observe").text, encoding="utf-8")

    with pytest.raises(PromptError, match="no recall uses the prompt observe"):
        tried_prompt(file)
