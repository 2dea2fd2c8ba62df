"""What the server tells of its tools beside their names: what they write, and what they destroy."""

from pathlib import Path

import pytest
from mcp import Client
from tests.mcp.mcp_world import ARGUMENTS, MARA, content, recalls_in
from tests.mcp.mcp_world import store as store

from secondhop.mcp.server import memory_server

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")


async def test_every_tool_that_writes_says_so_a_session_too(store: Path) -> None:
    async with Client(memory_server(recalls_in(store), entity=MARA)) as client:
        tools = (await client.list_tools()).tools

    hints = {
        tool.name: (
            tool.annotations.read_only_hint,
            bool(tool.annotations.destructive_hint),
            bool(tool.annotations.idempotent_hint),
        )
        for tool in tools
        if tool.annotations is not None
    }
    assert hints == {
        "recall": (True, False, False),
        "recall_briefing": (True, False, False),
        "recall_session_start": (False, False, False),
        "recall_vote": (False, False, False),
        "recall_resolve": (False, False, True),
        "remember": (False, False, False),
        "observe": (False, False, False),
        "forget": (False, True, True),
        "history": (True, False, False),
        "explain": (True, False, False),
    }


async def test_a_noted_vote_is_taken_back_with_an_empty_one(store: Path) -> None:
    async with Client(memory_server(recalls_in(store), entity=MARA)) as client:
        told = content(await client.call_tool("recall_session_start", ARGUMENTS))
        first, second = (one["id"] for one in told["memories"][:2])
        noting = {"sessionId": told["sessionId"], "goOn": False}
        for votes in ({first: "hot", second: "hot"}, {first: ""}):
            content(await client.call_tool("recall_vote", {**noting, "votes": votes}))
        ended = content(await client.call_tool("recall_resolve", {"sessionId": told["sessionId"]}))

    assert ended["acceptedMemoryIds"] == [second]
