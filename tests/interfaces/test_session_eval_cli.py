"""`eval sessions` on a small scenario: contract keys, every system, readable tables."""

import json
import os
from pathlib import Path

import pytest
from tests.interfaces.test_eval_cli import QUESTION, TEXTS, row
from typer.testing import CliRunner

from secondhop.interfaces.cli import app


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario of five memories and one question, and nobody's settings."""
    for name in [one for one in os.environ if one.startswith("SECONDHOP_")]:
        monkeypatch.delenv(name)
    made = tmp_path / "small"
    made.mkdir()
    memories = [json.dumps(row(*one)) for one in TEXTS.items()]
    (made / "conversations.jsonl").write_text("\n".join(memories), encoding="utf-8")
    (made / "queries.jsonl").write_text(json.dumps({**QUESTION, "k": 2}), encoding="utf-8")
    return made


@pytest.mark.usefixtures("library_of_tests")
def test_every_system_is_measured_after_every_round_of_votes(folder: Path) -> None:
    command = ["eval", "sessions", str(folder), "--embedder", "hashing", "--llm", "offline"]

    done = CliRunner().invoke(app, [*command, "--json"])
    table = CliRunner().invoke(app, [*command, "--votes", "1", "--noise", "0.5"])

    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)["small"]
    assert set(report["results"]) == {"q-1"}
    assert set(report["systems"]) == {"session", "next page", "reference formula"}
    for measured in report["systems"].values():
        assert len(measured["rounds"]) == 3
    session = report["systems"]["session"]
    assert session["rounds"][0] != session["rounds"][-1]
    assert session["ratio"] > 1
    assert report["mean"] == session["rounds"][-1]
    assert table.exit_code == 0, table.output
    assert "next page" in table.stdout
    assert "vote 1" in table.stdout
    assert "vote 2" not in table.stdout
