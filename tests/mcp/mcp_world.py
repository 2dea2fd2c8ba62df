"""A store of two people's memories, and an MCP server of it in its own process."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp_types import CallToolResult, TextContent
from tests.command_line import place_of
from tests.fakes import note
from tests.small_world import LIFE, QUESTION

from secondhop.cli.opening import pool_of
from secondhop.cli.options import Common
from secondhop.recall import Recall
from secondhop.recall_pool import RecallPool
from secondhop.settings import variable_names
from secondhop.stores.records import Memory

MARA, NOOR = "mara", "noor"
NOORS = (note("noors-plan", "Help me prepare for my Carefeed interview: the night shifts."),)
ARGUMENTS = {"query": QUESTION, "limit": 3}


async def store_two(folder: Path) -> None:
    """Make a store of Mara's life and one memory of Noor's."""
    lives: tuple[tuple[str, Sequence[Memory]], ...] = ((MARA, LIFE), (NOOR, NOORS))
    for entity, memories in lives:
        async with await Recall.aopen(folder, entity=entity, embedder="hashing") as recall:
            await recall.aadd(memories)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Such a store for all tests of a file."""
    folder = tmp_path_factory.mktemp("two") / "store"
    asyncio.run(store_two(folder))
    return folder


def options(folder: Path) -> Common:
    """The options `--store FOLDER --embedder hashing --llm offline`."""
    return Common(store=folder, chroma="", llm="offline", embedder="hashing")


def recalls_in(folder: Path) -> RecallPool:
    """The memories of that store."""
    return pool_of(options(folder))


def command(folder: Path, *words: str) -> list[str]:
    """The command line `secondhop WORDS` on that store."""
    return [sys.executable, "-m", "secondhop", *words, *place_of(folder)]


def environment() -> dict[str, str]:
    """This process's environment without any setting, except where pulled models are."""
    kept = {key: value for key, value in os.environ.items() if key not in variable_names()}
    if models := os.environ.get("SECONDHOP_MODEL_DIR"):
        kept["SECONDHOP_MODEL_DIR"] = models
    return kept | {"SECONDHOP_OFFLINE": "1"}


def over_stdio(folder: Path) -> StdioServerParameters:
    """A server of Mara's memory, over its standard input and output."""
    program, *words = command(folder, "mcp", "--entity", MARA)
    return StdioServerParameters(command=program, args=words, env=environment())


@contextmanager
def http_server(folder: Path, *words: str) -> Generator[str, None, None]:
    """The URL of a server over HTTP on a free port; a signal ends it."""
    line = command(folder, "mcp", "--http", "127.0.0.1:0", *words)
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=environment()) as child:
        assert child.stderr is not None
        try:
            yield address_in(child.stderr.readline())
        finally:
            child.terminate()
            child.communicate(timeout=20)


def address_in(line: str) -> str:
    """The URL in the line that a server prints."""
    assert line.startswith("secondhop: serving MCP at http://"), line
    return line.split()[4]


def ids(result: CallToolResult) -> list[str]:
    """Memory ids of an answer."""
    return [memory["id"] for memory in content(result)["memories"]]


def content(result: CallToolResult) -> dict[str, Any]:
    """What a tool returned; asserts that it did not fail."""
    assert not result.is_error, words(result)
    found: dict[str, Any] | None = result.structured_content
    assert found is not None
    return found


def words(result: CallToolResult) -> str:
    """The text of a result, which for an error is its message."""
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def rows_of_chroma(folder: Path) -> list[str]:
    """All of Chroma's database except the table in which it counts who opened it."""
    with closing(sqlite3.connect(folder / "chroma" / "chroma.sqlite3")) as database:
        return [line for line in database.iterdump() if "acquire_write" not in line]
