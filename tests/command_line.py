"""The command line, called in this process as a shell would call it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import CliRunner, Result

from secondhop.cli.app import app

Cli: TypeAlias = Callable[..., Result]
"""Runs a command, given as words."""


def ran(*words: str | Path, given: str | bytes | None = None) -> Result:
    """The result of a command; `given` is its standard input."""
    return CliRunner().invoke(app, [*map(str, words)], input=given)


def in_folder(folder: Path, patch: pytest.MonkeyPatch) -> Cli:
    """Runs commands in that folder, with a cache below it and the hashing embedder."""
    patch.chdir(folder)
    patch.setenv("SECONDHOP_EMBEDDER", "hashing")
    for module in ("opening", "kept_answers"):
        patch.setattr(f"secondhop.cli.{module}.cache_folder", lambda: folder / "cache")
    return ran


def place_of(store: Path) -> list[str]:
    """The options for that store and for models that need no file and no server."""
    return ["--store", str(store), "--embedder", "hashing", "--llm", "offline"]


def over(store: Path) -> Cli:
    """Runs commands on that store."""

    def run(*words: str, given: str | bytes | None = None) -> Result:
        return ran(*words, *place_of(store), given=given)

    return run


def document(result: Result) -> dict[str, Any]:
    """The one JSON document that a successful command printed."""
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found
