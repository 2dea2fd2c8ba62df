"""Unknown or impossible arguments of a tool are refused in words that an agent understands."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import TextContent
from tests.fakes import note
from tests.mcp.mcp_world import MARA, recalls_in

from secondhop.mcp.server import memory_server
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

CALLS: list[tuple[str, Mapping[str, object], str]] = [
    (
        "recall",
        {"query": "wifi", "lmit": 3},
        r"recall has no argument 'lmit' \(did you mean 'limit'\?\); it takes query, ",
    ),
    ("recall", {"query": "wifi", "colour": "red"}, "has no argument 'colour'; it takes query, "),
    ("recall", {}, "query: Field required. Nothing was done"),
    ("recall", {"query": "wifi", "limit": -1}, "limit: .*, not -1"),
    ("recall", {"query": "wifi", "at": "yesterday"}, "at: .*, not 'yesterday'"),
    ("recall", {"query": "wifi", "at": 5}, "at: .*, not 5"),
    ("recall", {"query": "wifi", "where": {"after": 5}}, "where: after must be a datetime, .*5"),
    ("recall", {"query": "wifi", "where": {"tag": "x"}}, "where has no field 'tag'"),
    ("recall", {"query": "wifi", "limit": 10**9}, "k must be at most 1,000,000"),
    ("recall", {"query": "wifi", "at": "0001-01-01T00:00+14:00"}, "between the years 1 and 9999"),
    ("recall_vote", {"sessionId": "s", "votes": {"a": "lukewarm"}}, "votes.*, not 'lukewarm'"),
    ("recall", {"query": " "}, "empty"),
    ("recall", {"query": "wifi", "entity": "noor"}, "^this connection may use the memory"),
    ("recall", {"query": "wifi", "limit": 3, "tokens": 9}, "^limit and tokens are two ways"),
    ("recall_vote", {"sessionId": "nobody", "votes": {"a": "hot"}}, "start a new session"),
    ("observe", {"messages": []}, "messages: .*, not "),
    ("observe", {"messages": [{"content": "I live in Bonn."}]}, "role: Field required"),
    ("forget", {"memoryIds": ["nope"]}, "no memory 'nope' is stored"),
]


async def test_what_cannot_be_is_refused_in_words(tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        await recall.aadd([note("wifi", "The wifi password is on the fridge.")])
    server = memory_server(recalls_in(tmp_path / "store"), entity=MARA)

    async with Client(server) as client:
        for tool, arguments, words in CALLS:
            done = await client.call_tool(tool, dict(arguments))

            assert done.is_error, (tool, arguments)
            (said,) = done.content
            assert isinstance(said, TextContent)
            assert re.search(words, said.text), said.text
            for foreign in ("pydantic", "http", "Arguments", "secondhop recall"):
                assert foreign not in said.text
