"""Every interface gives the same memories, and asking writes nothing."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from mcp import Client
from tests.mcp.mcp_world import (
    MARA,
    command,
    content,
    ids,
    recalls_in,
    rows_of_chroma,
)
from tests.mcp.mcp_world import store as store
from tests.small_world import QUESTION
from tests.store_files import stores_below
from typer.testing import CliRunner

from secondhop.cli.app import app
from secondhop.graph.builder import build_recall_graph
from secondhop.graph.result import RecallResult
from secondhop.graph.session import build_session_graph
from secondhop.mcp.server import memory_server
from secondhop.recall import Recall

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_variables")]


class Asked(NamedTuple):
    """A recall that is asked at every interface."""

    question: str
    k: int | None = None
    tokens: int | None = None


ASKED = (
    Asked(QUESTION, k=1),
    Asked(QUESTION, k=4),
    Asked(QUESTION, tokens=30),
    Asked("How is the bread?", k=3),
    Asked("Which tyres are in the cellar?", tokens=200),
    Asked("tomatoes water"),
)

Answers: TypeAlias = list[list[str]]
"""Memory ids of each answer."""
Interface: TypeAlias = Callable[[Path], Awaitable[Answers]]
"""Opens the store and asks all of `ASKED`."""


async def opened(folder: Path) -> Recall:
    return await Recall.aopen(folder, entity=MARA, embedder="hashing")


async def by_library(folder: Path) -> Answers:
    async with await opened(folder) as recall:
        return [
            (await recall.arecall(one.question, k=one.k, tokens=one.tokens)).ids() for one in ASKED
        ]


async def without_an_event_loop(folder: Path) -> Answers:
    def ask() -> Answers:
        with Recall.open(folder, entity=MARA, embedder="hashing") as recall:
            return [recall.recall(one.question, k=one.k, tokens=one.tokens).ids() for one in ASKED]

    return await asyncio.to_thread(ask)


async def by_retriever(folder: Path) -> Answers:
    async with await opened(folder) as recall:
        found = [
            await recall.as_retriever(k=a.k, tokens=a.tokens).ainvoke(a.question) for a in ASKED
        ]
        return [[str(document.id) for document in documents] for documents in found]


async def by_tool(folder: Path) -> Answers:
    answers: Answers = []
    async with await opened(folder) as recall:
        for one in ASKED:
            tool = recall.as_tool(k=one.k, tokens=one.tokens)
            arguments = {"question": one.question}
            call = {"type": "tool_call", "id": "1", "name": tool.name, "args": arguments}
            message: ToolMessage = await tool.ainvoke(call)
            answers.append(message.artifact["memory_ids"])
    return answers


async def by_graph(folder: Path) -> Answers:
    async with await opened(folder) as recall:
        graph = build_recall_graph(recall.admin.services)
        done = [
            await graph.ainvoke({"question": one.question, "k": one.k, "tokens": one.tokens})
            for one in ASKED
        ]
        return [RecallResult.model_validate(one["result"]).ids() for one in done]


async def by_mcp(folder: Path) -> Answers:
    async with Client(memory_server(recalls_in(folder), entity=MARA)) as client:
        return await asked_of(client)


async def asked_of(client: Client) -> Answers:
    arguments = [{"query": one.question, "limit": one.k, "tokens": one.tokens} for one in ASKED]
    return [ids(await client.call_tool("recall", one)) for one in arguments]


async def by_command(folder: Path) -> Answers:
    return [await asyncio.to_thread(printed, folder, one) for one in ASKED]


def printed(folder: Path, asked: Asked) -> list[str]:
    limits = {"--k": asked.k, "--tokens": asked.tokens}
    amount = [word for name, n in limits.items() if n is not None for word in (name, str(n))]
    words = command(folder, "recall", asked.question, "--entity", MARA, "--json", *amount)
    done = CliRunner().invoke(app, words[words.index("recall") :], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return [memory["id"] for memory in json.loads(done.stdout)["memories"]]


INTERFACES: Mapping[str, Interface] = {
    "without an event loop": without_an_event_loop,
    "retriever": by_retriever,
    "tool": by_tool,
    "graph": by_graph,
    "MCP": by_mcp,
    "command": by_command,
}


@pytest.mark.usefixtures("library_of_tests")
@pytest.mark.parametrize("interface", INTERFACES)
async def test_every_interface_gives_the_memories_that_the_library_gives(
    store: Path, interface: str
) -> None:
    expected = await by_library(store)

    answers = await INTERFACES[interface](store)

    assert answers == expected
    assert [len(one) for one in expected[:2]] == [1, 4]
    assert 0 < len(expected[2]) < len(expected[1])


# --- sessions ---


async def voted_by_library(folder: Path) -> Answers:
    async with await opened(folder) as recall, recall.sessions.open(QUESTION, k=3) as session:
        first = session.answer.ids()
        after = await session.vote(judged(first), by="agent")
        last = await session.vote(judged(after.new), by="agent")
        return [first, after.ids(), last.ids()]


async def voted_by_mcp(folder: Path) -> Answers:
    async with Client(memory_server(recalls_in(folder), entity=MARA)) as client:
        asked = {"query": QUESTION, "limit": 3}
        answers = [content(await client.call_tool("recall_session_start", asked))]
        seen: set[str] = set()
        for _ in range(2):
            new = [m["id"] for m in answers[-1]["memories"] if m["id"] not in seen]
            seen |= set(new)
            ballot = {"sessionId": answers[0]["sessionId"], "votes": judged(new)}
            answers.append(content(await client.call_tool("recall_vote", ballot)))
        return [[memory["id"] for memory in answer["memories"]] for answer in answers]


async def voted_by_graph(folder: Path) -> Answers:
    async with await opened(folder) as recall:
        graph = build_session_graph(recall.admin.services, InMemorySaver())
        thread: Any = {"configurable": {"thread_id": "chat"}}
        done = await graph.ainvoke({"question": QUESTION, "k": 3}, thread)
        answers: Answers = []
        for turn in range(3):
            (waiting,) = done["__interrupt__"]
            answers.append([memory["id"] for memory in waiting.value["memories"]])
            reply = {"votes": judged(waiting.value["new"]), "by": "agent"}
            if turn < 2:
                done = await graph.ainvoke(Command(resume=reply), thread)
        return answers


def judged(shown: list[str]) -> dict[str, str]:
    """Votes: the first memory hot, the second cold, the third a spark."""
    return dict(zip(shown, ("hot", "cold", "spark"), strict=False))


@pytest.mark.usefixtures("library_of_tests")
@pytest.mark.parametrize("interface", [voted_by_mcp, voted_by_graph])
async def test_votes_come_to_the_same_answers_at_every_interface(
    store: Path, interface: Interface
) -> None:
    expected = await voted_by_library(store)

    assert await interface(store) == expected
    assert len(expected) == 3
    assert expected[0] != expected[1]


# --- asking writes nothing ---


@pytest.mark.usefixtures("library_of_tests")
@pytest.mark.parametrize(
    "interface", [*INTERFACES.values(), voted_by_library, voted_by_mcp, voted_by_graph]
)
async def test_what_opens_a_store_and_asks_leaves_it_as_it_was(
    store: Path, interface: Interface
) -> None:
    """Chroma rewrites its files whenever it is opened, so its rows are compared instead."""
    before, rows = stores_below(store, chroma=False), rows_of_chroma(store)
    assert {Path(name).name for name in before} >= {"catalog.db", "store.json"}

    await interface(store)

    assert stores_below(store, chroma=False) == before
    assert rows_of_chroma(store) == rows
