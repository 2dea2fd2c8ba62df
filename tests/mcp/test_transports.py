"""The MCP server in its own process, over both transports."""

import shutil
from pathlib import Path
from typing import Literal, NamedTuple

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.mcp.mcp_world import (
    ARGUMENTS,
    MARA,
    NOOR,
    content,
    http_server,
    ids,
    over_stdio,
    words,
)
from tests.mcp.mcp_world import store as store
from typer.testing import CliRunner

from secondhop.cli.app import app
from secondhop.server.tokens import FILE, TokenFile

pytestmark = pytest.mark.slow

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


class Guarded(NamedTuple):
    """A store with a token for each of its entities."""

    store: Path
    tokens: dict[str, str]
    """{text of a token: its entity}."""


@pytest.fixture
def guarded(store: Path, tmp_path: Path) -> Guarded:
    copy = shutil.copytree(store, tmp_path / "guarded")
    file = TokenFile(copy / FILE)
    return Guarded(copy, {file.create([one], "write")[0]: one for one in (MARA, NOOR)})


async def voted_on(client: Client) -> list[str]:
    """Hold a session over the wire to its end; returns what was accepted."""
    first = content(await client.call_tool("recall_session_start", ARGUMENTS))
    hot, cold = (memory["id"] for memory in first["memories"][:2])
    ballot = {"sessionId": first["sessionId"], "votes": {hot: "hot", cold: "cold"}}
    second = await client.call_tool("recall_vote", ballot)
    assert content(second)["round"] == 2
    assert cold not in ids(second)
    resolved = await client.call_tool("recall_resolve", {"sessionId": first["sessionId"]})
    assert content(resolved)["acceptedMemoryIds"] == [hot]
    return [hot]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_over_standard_input_and_output(store: Path, mode: Literal["auto", "legacy"]) -> None:
    steps: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message or "")

    async with Client(over_stdio(store), mode=mode) as client:
        found = await client.call_tool("recall", ARGUMENTS, progress_callback=hear)
        accepted = await voted_on(client)

    assert accepted[0] in ids(found)
    assert any("retrieve" in step for step in steps)


async def test_each_token_sees_its_own_entity_over_http(guarded: Guarded) -> None:
    with http_server(guarded.store) as url:
        found: dict[str, set[str]] = {}
        for token, entity in guarded.tokens.items():
            async with (
                httpx2.AsyncClient(
                    headers={"Authorization": f"Bearer {token}"}, timeout=60
                ) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                found[entity] = set(ids(await client.call_tool("recall", ARGUMENTS)))
                other = NOOR if entity == MARA else MARA
                foreign = await client.call_tool("recall", {**ARGUMENTS, "entity": other})
                assert foreign.is_error
                assert f"'{entity}' only" in words(foreign)
                if entity == MARA:
                    await voted_on(client)

    assert found["noor"] == {"noors-plan"}
    assert found["mara"]
    assert not found["mara"] & found["noor"]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer " + "x" * 40}])
async def test_a_wrong_token_gets_401(guarded: Guarded, headers: dict[str, str]) -> None:
    with http_server(guarded.store) as url:
        async with httpx2.AsyncClient(headers=headers) as http:
            answer = await http.post(url, json=HELLO)

    assert answer.status_code == 401
    assert "Bearer" in answer.headers["www-authenticate"]


async def test_one_entity_on_this_machine_needs_no_token_but_a_name_of_this_machine(
    store: Path,
) -> None:
    with http_server(store, "--entity", MARA) as url:
        async with Client(url) as client:
            assert ids(await client.call_tool("recall", ARGUMENTS))
        async with httpx2.AsyncClient(headers={"Host": "evil.example"}) as http:
            assert (await http.post(url, json=HELLO)).status_code == 421


@pytest.mark.parametrize(
    "arguments",
    [
        ["--http", "127.0.0.1:0"],
        ["--http", "0.0.0.0:0", "--entity", MARA],
    ],
    ids=["no entity", "not loopback"],
)
def test_nobody_unknown_is_served(arguments: list[str]) -> None:
    refused = CliRunner().invoke(app, ["mcp", "--store", "none", *arguments])

    assert refused.exit_code == 2
    assert "secondhop tokens create" in refused.stderr
