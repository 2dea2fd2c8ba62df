"""The guard in conftest.py holds: no test leaves this machine, and this machine is reachable."""

import asyncio
import socket

import pytest


def test_another_machine_cannot_be_reached() -> None:
    with socket.socket() as client, pytest.raises(RuntimeError, match="no network"):
        client.connect(("192.0.2.1", 80))


def test_names_of_other_machines_are_not_looked_up() -> None:
    with pytest.raises(RuntimeError, match="no network"):
        socket.create_connection(("example.com", 443), timeout=1)


async def test_this_machine_can_be_reached() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b"hello"
        writer.close()
        await writer.wait_closed()
