"""`eval scenarios --prompt` with `annotate`: each prompt annotates a sample, which is asked."""

from pathlib import Path

import pytest
from tests.annotate.cue_writer import Row, row, rows_for
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import BETTER, QUESTION, tiny_scenario, variant_of
from tests.command_line import Cli, document
from tests.evals.scenario_files import write_rows

pytestmark = [pytest.mark.slow, pytest.mark.model]  # prompts are counted with tiktoken's ranks


def insightful(call_id: str, text: str) -> Row:
    """A row; the résumé's cues are the question, which does not name the résumé."""
    if "Résumé" not in text:
        return row(call_id, text)
    return {**row(call_id, text), "specific": [QUESTION["query"]], "broad": [QUESTION["query"]]}


@pytest.fixture
def cli(llm_cli: Cli, model: ModelServer) -> Cli:
    model.replies["AnnotateReply"] = lambda system, user: rows_for(
        user, insightful if BETTER in system else row
    )
    return llm_cli


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    hosts = {"id": "wins", "cues": [QUESTION["query"]], "broad": [], "role": "", "replaces": []}
    one = {**QUESTION, "k": 2}
    return write_rows(tiny_scenario(tmp_path / "tiny"), cues=[hosts], queries=[one])


def test_both_write_cues_for_the_same_memories_and_recall_decides(
    cli: Cli, model: ModelServer, scenario: Path, tmp_path: Path
) -> None:
    variant = variant_of("annotate", tmp_path / "better.md")
    trial = ("eval", "scenarios", scenario, "--prompt", variant, "--json")

    told = document(cli(*trial))["against"]
    first = model.asked()
    again = document(cli(*trial))["against"]

    assert (told["won"], told["lost"], told["tied"]) == (1, 0, 0)
    assert first == {"AnnotateReply": 2}
    assert not model.asked()
    assert again["won"] == 1


def test_a_sample_holds_what_its_questions_need(
    cli: Cli,
    model: ModelServer,
    scenario: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variant = variant_of("annotate", tmp_path / "better.md")

    monkeypatch.setattr("secondhop.evals.samples.SAMPLE", 3)
    document(cli("eval", "scenarios", scenario, "--prompt", variant, "--json"))

    users = [body["messages"][1]["content"] for body in model.server.asked]
    assert [user.count("<memory ") for user in users] == [3, 3]
    assert all("My plan" in user and "Résumé" in user for user in users)


def test_a_prompt_that_is_not_seen_in_recalls_is_refused(
    cli: Cli, scenario: Path, tmp_path: Path
) -> None:
    variant = variant_of("observe", tmp_path / "observe.md")

    refused = cli("eval", "scenarios", scenario, "--prompt", variant)

    assert refused.exit_code == 2
    assert "try one of decompose, expand, critique, annotate" in refused.stderr
