"""An agent that votes on nothing and says in the end what helped."""

from pathlib import Path

import pytest
from mcp import Client
from tests.interfaces.mcp_world import ARGUMENTS, MARA, content, recalls_in
from tests.interfaces.mcp_world import store as store

from secondhop.mcp.server import memory_server
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("no_variables", "library_of_tests")


async def test_what_an_agent_names_in_the_end_teaches_and_its_one_round_is_counted(
    store: Path,
) -> None:
    async with Client(memory_server(recalls_in(store), entity=MARA)) as client:
        begun = content(await client.call_tool("recall_session_start", ARGUMENTS))
        helped = [memory["id"] for memory in begun["memories"][:2]]
        end = {"sessionId": begun["sessionId"], "acceptedMemoryIds": helped}

        ended = content(await client.call_tool("recall_resolve", end))

    assert (ended["updated"], ended["learned"]) == (2, True)
    assert ended["acceptedMemoryIds"] == helped
    async with await Recall.aopen(store, entity=MARA, embedder="hashing") as recall:
        assert (await recall.learning.rounds()).sessions == 1
