"""`eval scenarios --answers`: a model's answers are kept and used again word for word."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import tiny_scenario
from tests.command_line import Cli
from typer.testing import Result

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    return tiny_scenario(tmp_path / "tiny")


def results(run: Result) -> Any:
    assert run.exit_code == 0, run.stderr
    return json.loads(run.stdout)["tiny"]["results"]


ONCE = {"DecomposeReply": 2, "ExpandReply": 2, "CritiqueReply": 2}


def test_a_second_run_asks_nothing_and_answers_the_same(
    llm_cli: Cli, model: ModelServer, scenario: Path, tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir()
    run = ("eval", "scenarios", scenario, "--answers", "kept/mine.db", "--json")
    first = llm_cli(*run)
    assert model.asked() == ONCE
    second = llm_cli(*run)
    assert not model.asked()
    assert results(second) == results(first)
    assert "asked 6, from kept answers 0" in first.stderr
    assert "asked 0, from kept answers 6" in second.stderr
    assert len(list((tmp_path / "kept").glob("*.db"))) == 1


def test_a_verdict_that_could_not_be_used_is_not_kept(
    llm_cli: Cli, model: ModelServer, scenario: Path
) -> None:
    sound = model.replies["CritiqueReply"]
    model.replies["CritiqueReply"] = lambda _system, _user: {"votes": [{"id": "x1", "vote": "hot"}]}
    run = ("eval", "scenarios", scenario, "--answers", "kept", "--json")
    results(llm_cli(*run))
    model.asked()
    model.replies["CritiqueReply"] = sound
    found = results(llm_cli(*run))
    assert model.asked() == {"CritiqueReply": 2}
    assert found == {"q-1": ["plan"]}


def test_a_missing_key_is_told_before_anything_is_measured(
    llm_cli: Cli, scenario: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    refused = llm_cli("eval", "scenarios", scenario, "--against", "low")
    assert refused.exit_code == 1
    assert "there is no API key for the OpenAI client" in refused.stderr
    assert not (tmp_path / "cache").exists()
    assert llm_cli("eval", "scenarios", scenario, "--effort", "none").exit_code == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--llm", "offline"), "--answers keeps what a language model answers"),
        ((), "kept is not a file of answers"),
    ],
)
def test_answers_that_cannot_be_kept_are_refused(
    llm_cli: Cli, scenario: Path, options: tuple[str, ...], told: str
) -> None:
    Path("kept.txt").write_text("Dear diary", encoding="utf-8")
    place = "kept.txt" if not options else "kept"
    refused = llm_cli("eval", "scenarios", scenario, "--answers", place, *options)
    assert refused.exit_code == 2
    assert told.replace("kept is", "kept.txt is") in refused.stderr
    assert Path("kept.txt").read_text(encoding="utf-8") == "Dear diary"
