"""`eval scenarios --prompt`, with a model behind a real HTTP server."""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import tiny_scenario, variant_of
from tests.command_line import Cli, document

from secondhop.prompts.templates import shipped_prompt

pytestmark = [pytest.mark.slow, pytest.mark.model]  # prompts are counted with tiktoken's ranks

REPO = Path(__file__).parents[2]


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    return tiny_scenario(tmp_path / "tiny")


@pytest.fixture
def variant(tmp_path: Path) -> Path:
    """A variant of `expand` that serves both facets of the question."""
    return variant_of("expand", tmp_path / "better.md")


def test_a_better_prompt_wins_its_question(llm_cli: Cli, scenario: Path, variant: Path) -> None:
    measured = document(llm_cli("eval", "scenarios", scenario, "--prompt", variant, "--json"))

    found = measured["against"]
    assert (found["won"], found["lost"], found["tied"]) == (1, 0, 0)
    facets = found["measures"]["facet_recall"]
    assert (facets["theirs"], facets["ours"], facets["difference"]) == (0.5, 1.0, 0.5)
    assert facets["p"] == 1.0  # one question decides nothing
    changed = found["questions"]["tiny"]["q-1"]
    assert (changed["verdict"], changed["came"]) == ("won", ["wins"])
    assert (found["no_answer"], measured["tiny"]["no_answer"]["answered"]) == (0, 0)
    assert found["degraded"] == {"tiny": {}}
    assert found["against"].startswith("expand.v")
    assert "degraded" not in measured["tiny"]
    shown = llm_cli("eval", "scenarios", scenario, "--prompt", variant)
    assert shown.stderr.startswith("ours: expand.v")
    assert "1 question: 1 won, 0 lost, 0 tied" in shown.stdout
    assert "came: wins" in shown.stdout


def test_efforts_are_compared_in_one_command(
    llm_cli: Cli, model: ModelServer, scenario: Path
) -> None:
    sides = ("--effort", "high", "--against", "none")
    found = document(llm_cli("eval", "scenarios", scenario, *sides, "--json"))["against"]

    assert found["against"] == "effort none"
    assert (found["measures"]["llm_calls"]["theirs"], model.asked()["ExpandReply"]) == (0, 2)
    assert found["measures"]["llm_calls"]["ours"] > 0
    assert found["measures"]["ms"]["theirs"] > 0


@pytest.mark.parametrize(
    ("name", "effort", "able"),
    [("expand", "low", "high"), ("expand", "none", "high"), ("critique", "none", "low or high")],
)
def test_a_prompt_that_no_recall_would_ask_is_not_tried(
    llm_cli: Cli, scenario: Path, tmp_path: Path, name: str, effort: str, able: str
) -> None:
    prompt = tmp_path / "mine.md"
    prompt.write_text(shipped_prompt(name).text.replace("--- user ---", "Be brief.\n--- user ---"))

    done = llm_cli("eval", "scenarios", scenario, "--prompt", prompt, "--effort", effort)

    assert done.exit_code == 2
    assert f"no recall with effort {effort} asks the prompt {name}" in done.stderr
    assert f"say --effort {able}" in done.stderr


def test_a_prompt_that_was_not_changed_is_said_to_be_the_same(
    llm_cli: Cli, scenario: Path, variant: Path
) -> None:
    Path("same.md").write_text(shipped_prompt("expand").text, encoding="utf-8")

    same = llm_cli("eval", "scenarios", scenario, "--prompt", "same.md")
    other = llm_cli("eval", "scenarios", scenario, "--prompt", variant)

    assert "both sides ask the same prompt, expand.v" in same.stderr
    assert "both sides ask the same prompt" not in other.stderr


def test_what_was_asked_before_is_not_asked_again(
    llm_cli: Cli, model: ModelServer, scenario: Path, variant: Path, tmp_path: Path
) -> None:
    trial = ("eval", "scenarios", scenario, "--prompt", variant, "--json")
    first = document(llm_cli(*trial))
    # both variants ask `decompose` in the same words, so it is asked only once
    assert model.asked() == {"DecomposeReply": 2, "ExpandReply": 4, "CritiqueReply": 4}

    again = llm_cli(*trial)

    assert not model.asked()
    assert "asked 0, from kept answers 12" in again.stderr
    assert document(again)["against"]["won"] == first["against"]["won"] == 1
    assert document(again)["tiny"]["results"] == first["tiny"]["results"]
    kept = tmp_path / "cache" / "prompts" / "answers.db"
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("options", "exit_code", "told"),
    [
        (("--llm", "offline"), 2, "name one: --llm openai:MODEL"),
        (("--against", "critic.md"), 2, "compare two variants of one prompt"),
        (("--against", "broken.md"), 2, "broken.md: a prompt begins with front matter"),
    ],
    ids=["offline", "another prompt", "faulty"],
)
def test_a_trial_that_cannot_be_is_refused_before_anything_is_stored(
    llm_cli: Cli, scenario: Path, variant: Path, options: tuple[str, ...], exit_code: int, told: str
) -> None:
    variant_of("critique", Path("critic.md"))
    Path("broken.md").write_text("You are a planner.", encoding="utf-8")

    refused = llm_cli("eval", "scenarios", scenario, "--prompt", variant, *options)

    assert refused.exit_code == exit_code
    assert told in refused.stderr
    assert not Path("cache").exists()


def test_the_commands_of_the_docs_run(llm_cli: Cli, model: ModelServer, tmp_path: Path) -> None:
    text = (REPO / "docs" / "prompts.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    Path("my").mkdir()
    llm_cli("ingest", tiny_scenario(Path("my/scenario")), "--no-annotate")
    for line in "".join(blocks).splitlines():
        if line.startswith("mkdir"):
            Path("my/prompts").mkdir()
            Path("my/prompts/expand.md").write_bytes(Path("expand-2.md").read_bytes())
            continue
        told = line.replace("openai:gpt-4.1-mini", model.spec)
        command, _, target = told.partition(" > ")
        done = llm_cli(*shlex.split(command, comments=True)[1:])
        assert done.exit_code == 0, (line, done.stderr)
        if target:
            Path(target).write_bytes(done.stdout_bytes)
