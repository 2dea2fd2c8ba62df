"""`eval compare`: the files that `eval scenarios` writes, side by side."""

import json
from pathlib import Path

import pytest
from tests.command_line import Cli
from tests.interfaces.model_server import ModelServer
from tests.interfaces.prompt_lab import tiny_scenario
from typer.testing import Result

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks


def written(result: Result, name: str) -> Path:
    assert result.exit_code == 0, result.stderr
    Path(name).write_text(result.stdout, encoding="utf-8")
    return Path(name)


def test_offline_and_answered_runs_are_told_apart_question_by_question(
    model_cli: Cli, model: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    scenario = tiny_scenario(tmp_path / "tiny")
    run = ("eval", "scenarios", scenario, "--per-question", "--json")
    first = written(model_cli(*run), "offline.json")
    second = written(model_cli(*run, "--llm", model.spec), "answered.json")

    shown = model_cli("eval", "compare", first, second)
    found = json.loads(model_cli("eval", "compare", first, second, "--json").stdout)

    assert shown.exit_code == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 60
    assert "second: answered.json: 3.00 calls" in shown.stdout
    assert "tiny/q-1" in shown.stdout
    (question,) = found["questions"]
    assert question["question_id"] == "q-1"
    assert found[question["verdict"]] == 1
    assert found["costs"]["second"]["tiny"]["llm_calls"] == 3.0
    assert [facet["name"] for facet in question["missed"]] == ["track record"]
    assert "what answered.json missed" in shown.stdout


def test_a_report_without_single_questions_says_how_to_write_one(
    model_cli: Cli, tmp_path: Path
) -> None:
    scenario = tiny_scenario(tmp_path / "tiny")
    plain = written(model_cli("eval", "scenarios", scenario, "--json"), "plain.json")
    refused = model_cli("eval", "compare", plain, plain)
    assert refused.exit_code == 2
    assert "--per-question --json > plain.json" in refused.stderr
