"""Which language model a command uses: option, then variable, then OpenAI's own variables."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import TEXTS
from tests.command_line import Cli

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks

QUESTION = "My plan for the job, and what else to tell them?"

OFFLINE = "playbooks"
"""The planner that a trace names if no model plans."""


@pytest.fixture
def cli(model_cli: Cli) -> Cli:
    """Runs a command on a few stored notes, with a key and a server, but no model named."""
    for name, text in TEXTS.items():
        Path("notes").mkdir(exist_ok=True)
        Path(f"notes/{name}.md").write_text(text, encoding="utf-8")
    assert model_cli("ingest", "notes").exit_code == 0
    return model_cli


def planner(cli: Cli, *options: str) -> str:
    """The planner that the trace of a recall names."""
    asked = cli("recall", QUESTION, "--trace", "--json", *options)
    assert asked.exit_code == 0, asked.stderr
    found: dict[str, Any] = json.loads(asked.stdout)
    assert found["degraded"] == []
    return str(found["trace"]["planner"])


def test_a_key_and_a_named_model_are_used(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, model: ModelServer
) -> None:
    monkeypatch.setenv("OPENAI_MODEL", model.server.model)

    assert planner(cli).startswith(f"llm:{model.spec}@")
    assert planner(cli, "--llm", "openai").startswith(f"llm:{model.spec}@")
    assert model.asked()["ExpandReply"] == 2
    assert planner(cli, "--llm", "offline") == OFFLINE
    assert model.asked() == {}


def test_without_a_key_a_model_that_is_only_named_by_openai_is_not_used(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, model: ModelServer
) -> None:
    monkeypatch.setenv("OPENAI_MODEL", model.server.model)
    monkeypatch.setenv("OPENAI_API_KEY", "")

    assert planner(cli) == OFFLINE


@pytest.mark.parametrize("by", ["option", "variable"])
def test_openai_without_a_model_is_wrong_usage(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    if by == "variable":
        monkeypatch.setenv("SECONDHOP_LLM", "openai")
    asked = cli("recall", QUESTION, *(["--llm", "openai"] if by == "option" else []))

    assert asked.exit_code == 2
    assert "set OPENAI_MODEL" in asked.stderr
