"""`replay`: a recorded recall, asked again with another prompt or setting."""

from pathlib import Path

import pytest
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import QUESTION, tiny_scenario, variant_of
from tests.command_line import Cli, document

from secondhop.prompts.templates import shipped_prompt

pytestmark = [pytest.mark.slow, pytest.mark.model]  # prompts are counted with tiktoken's ranks

ASKED = str(QUESTION["query"])


@pytest.fixture
def cli(model_cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Run a command on a store of four memories; without --llm it works offline."""
    monkeypatch.setenv("COLUMNS", "120")
    assert model_cli("ingest", tiny_scenario(tmp_path / "tiny")).exit_code == 0
    return model_cli


def test_a_replay_with_a_better_prompt_tells_what_came_and_why(
    cli: Cli, model: ModelServer
) -> None:
    llm = ("--llm", model.spec)
    first = document(cli("recall", ASKED, "--k", "3", *llm, "--json", "--trace"))
    better = variant_of("expand", Path("better.md"))

    found = document(cli("replay", first["trace_id"], "--prompt", better, *llm, "--json"))

    assert shipped_prompt("expand").label in first["trace"]["planner"]
    assert shipped_prompt("critique").label == found["after"]["critic"].rpartition(":")[2]
    assert found["before"]["trace_id"] == first["trace_id"] != found["after"]["trace_id"]
    assert found["before"]["planner"] != found["after"]["planner"]
    assert [row["memory_id"] for row in found["came"]] == ["wins"]
    assert (found["came"][0]["before"], found["went"]) == (None, [])
    assert "before: voted cold" in found["came"][0]["why"]
    assert "now: voted hot" in found["came"][0]["why"]
    assert found["queries"]["after_only"] == ["résumé: years of product, teams led, launches"]
    assert found["after"]["spent"]["llm_calls"] == 3
    # its own trace is kept, so that the next question can be put to it
    explained = document(cli("explain", found["after"]["trace_id"], "wins", "--json"))
    assert explained["returned"]


def test_the_replay_for_people_names_slots_titles_reasons_and_costs(
    cli: Cli, model: ModelServer
) -> None:
    first = document(cli("recall", ASKED, "--k", "3", "--json"))
    better = variant_of("expand", Path("better.md"))

    shown = cli("replay", first["trace_id"], "--prompt", better, "--llm", model.spec)

    assert shown.exit_code == 0, shown.stderr
    assert "planner: playbooks → llm:" in shown.stdout
    assert "wins [wins]" in shown.stdout
    assert "3 model calls" in shown.stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--set", "ranking.min_scor=0.3"), "did you mean ranking.min_score?"),
        (("--set", "ranking.min_score"), "write NAME=VALUE"),
        (("--set", "ranking.min_score=high"), "min_score cannot be 'high'"),
        (("--prompt", "better.md"), "name one: --llm openai:MODEL"),
        (("--entity", "somebody-else"), "no trace"),
    ],
)
def test_a_replay_that_cannot_be_is_refused(cli: Cli, options: tuple[str, ...], told: str) -> None:
    trace_id = document(cli("recall", ASKED, "--json"))["trace_id"]
    variant_of("expand", Path("better.md"))

    refused = cli("replay", trace_id, *options)

    assert refused.exit_code == 2
    assert told in refused.stderr
