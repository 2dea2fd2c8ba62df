"""Quick things stay quick: `import secondhop` and a help page load no heavy package."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = frozenset(
    {"chromadb", "langchain_core", "langgraph", "numpy", "onnxruntime", "openai", "tiktoken"}
)
SLOW = frozenset({"asyncio", "email", "logging", "pydantic", "rich", "sqlite3", "ssl"})
"""Other packages that the first help page does not need; they take up to tens of ms each."""
TYPERS_OWN = frozenset({"email", "pydantic"})
"""Packages that Typer loads for the help page of a single command."""

FOR_QUESTIONS = frozenset({"langchain_core", "langgraph", "onnxruntime", "openai", "tiktoken"})
"""Packages that only a recall or a session uses."""

IMPORT = "import secondhop"
HELP = """
from contextlib import suppress
from secondhop.cli.app import app
with suppress(SystemExit):
    app({arguments!r}, prog_name="secondhop")
"""
TELL = """
import json, sys
print()
print(json.dumps(sorted(sys.modules)))
"""


def modules_after(program: str) -> tuple[frozenset[str], str]:
    """(modules that a new process has loaded after running the program, what it printed)."""
    done = subprocess.run(
        [sys.executable, "-c", program + TELL],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        timeout=60,
        check=True,
    )
    printed, _, names = done.stdout.rstrip().rpartition("\n")
    return frozenset(json.loads(names)), printed


def test_importing_secondhop_loads_nothing_heavy() -> None:
    loaded, _ = modules_after(IMPORT)

    assert "secondhop" in loaded
    assert not HEAVY & loaded


@pytest.mark.parametrize(
    ("arguments", "slow"),
    [
        (["--help"], HEAVY | SLOW),
        (["recall", "--help"], HEAVY),
        (["eval", "scenarios", "--help"], SLOW - TYPERS_OWN),
    ],
)
def test_a_help_page_loads_nothing_slow(arguments: list[str], slow: frozenset[str]) -> None:
    loaded, printed = modules_after(HELP.format(arguments=arguments))

    assert "secondhop" in printed
    assert not slow & loaded


@pytest.mark.slow
@pytest.mark.parametrize("command", ["facts", "stats"])
def test_a_command_that_asks_nothing_loads_nothing_for_questions(
    command: str, tmp_path: Path
) -> None:
    place = ["--store", str(tmp_path), "--embedder", "hashing"]
    stored, _ = modules_after(HELP.format(arguments=["remember", "The key hangs there", *place]))
    loaded, _ = modules_after(HELP.format(arguments=[*command.split(), *place]))

    assert "secondhop.recall" in stored & loaded
    assert not FOR_QUESTIONS & loaded


@pytest.mark.slow
def test_a_recall_without_a_model_loads_nothing_for_models_servers_and_ingests(
    tmp_path: Path,
) -> None:
    place = ["--store", str(tmp_path), "--embedder", "hashing", "--llm", "offline"]
    modules_after(HELP.format(arguments=["remember", "The key hangs there", *place]))
    loaded, printed = modules_after(HELP.format(arguments=["recall", "Where is the key?", *place]))

    assert "The key hangs there" in printed
    models, servers = {"openai", "tiktoken", "yaml"}, {"fastapi", "mcp", "uvicorn", "jinja2"}
    assert not {"chromadb", *models, *servers} & loaded
    assert not {"secondhop.observe.service", "secondhop.models.openai_llm"} & loaded


def test_every_public_name_is_listed_before_it_is_used() -> None:
    listed = modules_after("import secondhop; print(*dir(secondhop))")[1].split()

    assert {"Recall", "Memory", "delete_entity", "reindex"} <= {*listed}
