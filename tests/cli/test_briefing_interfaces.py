"""Library, command line and MCP give the same briefing, and none of them writes."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.mcp.mcp_world import MARA, content, recalls_in, store_two
from tests.stores.test_store_directory import contents
from typer.testing import CliRunner

from secondhop.briefing.briefing import Briefing
from secondhop.cli.app import app
from secondhop.mcp.server import memory_server
from secondhop.memories.records import Fact, Preference
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
ASKED: tuple[dict[str, int], ...] = ({}, {"limit": 5}, {"tokens": 150})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("briefing") / "store"

    async def fill() -> None:
        await store_two(folder)
        async with await Recall.aopen(folder, entity=MARA, embedder="hashing") as recall:
            await recall.memories.aremember("Allergic to nuts", mark="core", at=AT)
            await recall.memories.aremember("Book the dentist", mark="open", at=AT)
            await recall.memories.aremember(Preference(text="Keep answers short"), at=AT)
            fact = await recall.memories.aremember(
                Fact(subject="me", attribute="employer", value="Acme"), at=datetime(2026, 1, 3)
            )
            await recall.memories.aupdate(fact.memory_id, "Zeta", at=datetime(2026, 2, 3))
            await recall.memories.arestore(fact.memory_id)
            result = await recall.arecall("What about the tomatoes?", k=2)
            await recall.memories.aaccept(result, result.ids()[:1])

    asyncio.run(fill())
    return folder


def from_library(store: Path, **asked: Any) -> Briefing:
    with Recall.open(store, entity=MARA, embedder="hashing") as recall:
        return recall.memories.briefing(at=AT, **asked)


def from_command(store: Path, **asked: int) -> dict[str, Any]:
    place = ["--store", str(store), "--entity", MARA, "--embedder", "hashing"]
    options = [word for name, value in asked.items() for word in (f"--{name}", str(value))]
    line = ["briefing", *options, *place, "--at", AT.isoformat(), "--json"]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    return dict(json.loads(done.stdout))


async def from_mcp(store: Path, **asked: int) -> dict[str, Any]:
    async with Client(memory_server(recalls_in(store), entity=MARA)) as client:
        return content(await client.call_tool("recall_briefing", {**asked, "at": AT.isoformat()}))


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_every_interface_gives_the_same_briefing(store: Path, asked: dict[str, int]) -> None:
    told = from_library(store, **asked)
    document = from_command(store, **asked)
    reply = asyncio.run(from_mcp(store, **asked))

    assert len(told.entries) >= 5
    assert {**told.model_dump(mode="json"), "text": told.text} == document
    assert reply["text"] == told.text
    assert (reply["tokens"], reply["leftOut"]) == (told.tokens, told.left_out)
    assert [
        {camel(n): v for n, v in one.items() if n != "conflicts_with"}
        for one in document["entries"]
    ] == [{n: v for n, v in one.items() if n != "conflictsWith"} for one in reply["entries"]]
    assert [one["conflictsWith"] for one in reply["entries"]] == [
        [{camel(n): v for n, v in other.items()} for other in one["conflicts_with"]]
        for one in document["entries"]
    ]
    assert any(one["conflictsWith"] for one in reply["entries"])


def test_briefings_leave_every_byte_as_it_was(store: Path) -> None:
    with Recall.open(store, entity=MARA, embedder="hashing") as recall:
        recall.memories.briefing()
        before = contents(store)
        for _ in range(3):
            recall.memories.briefing(at=AT)
            recall.memories.briefing(tokens=200)
        assert unshared(contents(store)) == unshared(before)


def unshared(files: dict[str, object]) -> dict[str, object]:
    """Without the -shm files, which SQLite's connections share while they are open."""
    return {path: held for path, held in files.items() if not path.endswith("-shm")}


def test_people_read_the_lines_and_with_why_the_reasons(store: Path) -> None:
    place = ["--store", str(store), "--entity", MARA, "--embedder", "hashing"]
    plain = CliRunner().invoke(app, ["briefing", "--limit", "4", *place]).stdout
    told = CliRunner().invoke(app, ["briefing", "--limit", "4", "--why", *place]).stdout

    assert plain.splitlines()[:2] == ["Always to know", "- [2026-03-01] Allergic to nuts"]
    assert "marked as core" not in plain
    assert "marked as core" in told


def test_a_mark_is_given_and_taken_away_on_the_command_line(tmp_path: Path) -> None:
    place = ["--store", str(tmp_path / "store"), "--embedder", "hashing"]

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, [*words, *place])
        assert done.exit_code == 0, done.output
        return done.stdout

    run("remember", "Book the dentist", "--id", "todo", "--mark", "open")
    assert "Left open" in run("briefing")
    run("update", "todo", "--mark", "none")
    assert "Lately" in run("briefing")
    run("update", "todo", "--mark", "core")
    assert "Always to know" in run("briefing")
    assert CliRunner().invoke(app, ["update", "todo", "--mark", "x", *place]).exit_code == 2


def test_an_entry_that_is_too_long_leaves_its_place_to_the_next(tmp_path: Path) -> None:
    with Recall.open(tmp_path, entity=MARA, embedder="hashing") as recall:
        recall.memories.remember(Preference(text="Keep answers short"), at=datetime(2026, 1, 3))
        long = "Explain every step in detail. " * 30
        recall.memories.remember(Preference(text=long), at=datetime(2026, 2, 3))

        told = recall.memories.briefing(at=AT, tokens=60)

    assert [entry.text for entry in told.entries] == ["Keep answers short"]
    assert told.left_out["preferences"] == 1
