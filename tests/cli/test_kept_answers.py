"""`eval scenarios --answers`: a model's answers are kept, and given again word for word."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import TEXTS, tiny_scenario, variant_of
from tests.command_line import Cli
from tests.evals.scenario_files import memory_row, write_rows
from typer.testing import Result

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    return tiny_scenario(tmp_path / "tiny")


@pytest.fixture
def cli(model_cli: Cli, monkeypatch: pytest.MonkeyPatch, model: ModelServer) -> Cli:
    monkeypatch.setenv("SECONDHOP_LLM", model.spec)
    return model_cli


def results(run: Result) -> Any:
    assert run.exit_code == 0, run.stderr
    return json.loads(run.stdout)["tiny"]["results"]


ONCE = {"DecomposeReply": 2, "ExpandReply": 2, "CritiqueReply": 2}


@pytest.mark.parametrize("place", ["kept", "kept/mine.db"])
def test_a_second_run_asks_nothing_and_answers_the_same(
    cli: Cli, model: ModelServer, scenario: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "kept").mkdir()
    run = ("eval", "scenarios", scenario, "--answers", place, "--json")
    first = cli(*run)
    assert model.asked() == ONCE
    second = cli(*run)
    assert not model.asked()
    assert results(second) == results(first)
    assert "asked 6, from kept answers 0" in first.stderr
    assert "asked 0, from kept answers 6" in second.stderr
    assert len(list((tmp_path / "kept").glob("*.db"))) == 1


def test_a_trial_of_prompts_and_an_evaluation_share_their_answers(
    cli: Cli, model: ModelServer, scenario: Path, tmp_path: Path
) -> None:
    variant = variant_of("expand", tmp_path / "better.md")
    trial = ("prompts", "eval", "--variant", variant, "--scenarios", scenario)
    cli(*trial, "--answers", "kept")
    model.asked()
    cli("eval", "scenarios", scenario, "--answers", "kept")
    assert not model.asked()


def test_a_memory_that_changed_is_asked_about_anew(
    cli: Cli, model: ModelServer, scenario: Path
) -> None:
    run = ("eval", "scenarios", scenario, "--answers", "kept")
    cli(*run)
    model.asked()
    changed = {**TEXTS, "garden": "The tomatoes are ripe."}
    write_rows(scenario, conversations=[memory_row(*one) for one in changed.items()])
    cli(*run)
    assert model.asked() == ONCE


def test_a_verdict_that_could_not_be_used_is_not_kept(
    cli: Cli, model: ModelServer, scenario: Path
) -> None:
    sound = model.replies["CritiqueReply"]
    model.replies["CritiqueReply"] = lambda _system, _user: {"votes": [{"id": "x1", "vote": "hot"}]}
    run = ("eval", "scenarios", scenario, "--answers", "kept", "--json")
    results(cli(*run))
    model.asked()
    model.replies["CritiqueReply"] = sound
    found = results(cli(*run))
    assert model.asked() == {"CritiqueReply": 2}
    assert found == {"q-1": ["plan"]}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--llm", "offline"), "--answers keeps what a language model answers"),
        ((), "kept is no file of answers"),
    ],
)
def test_answers_that_cannot_be_kept_are_refused(
    cli: Cli, scenario: Path, options: tuple[str, ...], told: str
) -> None:
    Path("kept.txt").write_text("Dear diary", encoding="utf-8")
    place = "kept.txt" if not options else "kept"
    refused = cli("eval", "scenarios", scenario, "--answers", place, *options)
    assert refused.exit_code == 2
    assert told.replace("kept is", "kept.txt is") in refused.stderr
    assert Path("kept.txt").read_text(encoding="utf-8") == "Dear diary"
