"""`eval sessions` on a small scenario: contract keys, every system, readable tables."""

import json
from pathlib import Path

import pytest
from tests.command_line import ran
from tests.evals.scenario_files import QUESTION, TEXTS, memory_row, write_rows


@pytest.fixture
def folder(tmp_path: Path, no_variables: None) -> Path:
    """A scenario of five memories and one question, and nobody's settings."""
    memories = [memory_row(*one) for one in TEXTS.items()]
    return write_rows(tmp_path / "small", conversations=memories, queries=[{**QUESTION, "k": 2}])


@pytest.mark.usefixtures("library_of_tests")
def test_every_system_is_measured_after_every_round_of_votes(folder: Path) -> None:
    command = ["eval", "sessions", str(folder), "--embedder", "hashing", "--llm", "offline"]

    done = ran(*command, "--json")
    table = ran(*command, "--votes", "1", "--noise", "0.5")

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
