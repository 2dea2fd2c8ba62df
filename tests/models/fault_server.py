"""A chat server on a real socket that speaks the OpenAI protocol and misbehaves on request."""

import asyncio
import itertools
import json
import socket
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

USAGE: dict[str, Any] = {
    "prompt_tokens": 10,
    "completion_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 4},
}

_numbers = itertools.count()


@dataclass(slots=True)
class Exchange:
    """One request, and the connection to answer it on."""

    server: "FaultServer"
    asked: dict[str, Any]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, status: int, body: bytes, **headers: str) -> None:
        """Send a whole response."""
        await self.send_head(status, length=len(body), **headers)
        self.writer.write(body)
        await self.writer.drain()

    async def send_head(self, status: int, *, length: int, **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Told", "Content-Type: application/json"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.writer.write("\r\n".join([*lines, f"Content-Length: {length}", "", ""]).encode())
        await self.writer.drain()

    async def until_the_client_goes(self) -> None:
        await self.reader.read()
        self.server.deserted.set()


Fault = Callable[[Exchange], Awaitable[None]]


@dataclass(slots=True)
class FaultServer:
    """Plays `script` first, one fault per request, and then `otherwise` forever."""

    script: list[Fault] = field(default_factory=list[Fault])
    otherwise: Fault = field(default_factory=lambda: answer('{"text": "fine"}'))
    modes: frozenset[str] = frozenset({"json_schema", "json_object", "text"})
    """The kinds of answer it supports; others are refused with `refusal_status`."""
    refusal_status: int = 500
    port: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The bodies of all requests, in order."""
    heads: list[str] = field(default_factory=list[str])
    """First lines and headers of all requests, in order."""
    connections: int = 0
    """How many are open."""
    at_once: int = 0
    most_at_once: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a request has come."""
    deserted: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a client has hung up before it was answered."""
    model: str = field(default_factory=lambda: f"faulty-{next(_numbers)}")
    """Differs for each server, so what a process learns about an endpoint stays within a test."""

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def asked_modes(self) -> list[str]:
        """The kind of answer that each request wanted."""
        return [mode_of(asked) for asked in self.asked]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side closes it."""
        self.connections += 1
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head.decode("latin-1"))
                length = next(
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length:")
                )
                asked = json.loads(await reader.readexactly(length))
                await self._respond(Exchange(self, asked, reader, writer))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is gone
        finally:
            self.connections -= 1
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def until_nobody_is_connected(self) -> None:
        async with asyncio.timeout(5):
            while self.connections:  # noqa: ASYNC110 - any of the connections may be the last
                await asyncio.sleep(0.01)

    async def _respond(self, exchange: Exchange) -> None:
        self.asked.append(exchange.asked)
        self.reached.set()
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if mode_of(exchange.asked) not in self.modes:
                await status(self.refusal_status)(exchange)
            elif self.script:
                await self.script.pop(0)(exchange)
            else:
                await self.otherwise(exchange)
        finally:
            self.at_once -= 1


@asynccontextmanager
async def running(server: FaultServer) -> AsyncGenerator[FaultServer]:
    """The server, listening on a free port or on the one it had before."""
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(server.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    listening = await asyncio.start_server(connected, "127.0.0.1", server.port)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def mode_of(asked: dict[str, Any]) -> str:
    """The kind of answer that a request wants: its response_format, or "text"."""
    return str(asked.get("response_format", {}).get("type", "text"))


def completion(message: dict[str, Any], **choice: Any) -> bytes:
    """A chat completion with one choice."""
    choices = [{"index": 0, "message": message, "finish_reason": "stop", **choice}]
    return json.dumps({"object": "chat.completion", "choices": choices, "usage": USAGE}).encode()


def answer(text: str, **choice: Any) -> Fault:
    """A good answer with this text."""

    async def play(exchange: Exchange) -> None:
        message = {"role": "assistant", "content": text}
        await exchange.send(200, completion(message, **choice))

    return play


def body(raw: bytes) -> Fault:
    """HTTP 200 with any body."""
    return raw_status(200, raw)


def status(code: int, *, message: str = "no", **headers: str) -> Fault:
    """An error as OpenAI words it."""
    return raw_status(code, json.dumps({"error": {"message": message}}).encode(), **headers)


def raw_status(code: int, raw: bytes, **headers: str) -> Fault:
    """Any status with any body."""

    async def play(exchange: Exchange) -> None:
        await exchange.send(code, raw, **headers)

    return play


def slow(after_s: float, then: Fault) -> Fault:
    """Plays another fault after some seconds."""

    async def play(exchange: Exchange) -> None:
        await asyncio.sleep(after_s)
        await then(exchange)

    return play


async def hang(exchange: Exchange) -> None:
    """Never answers."""
    await exchange.until_the_client_goes()


async def half(exchange: Exchange) -> None:
    """Promises more than it sends, then hangs up."""
    whole = completion({"content": '{"text": "half"}'})
    await exchange.send_head(200, length=len(whole))
    exchange.writer.write(whole[: len(whole) // 2])
    await exchange.writer.drain()
    exchange.writer.close()


async def drip(exchange: Exchange) -> None:
    """A byte every 20 ms: no read ever times out, and no answer ever comes."""
    await exchange.send_head(200, length=100_000)
    while True:
        exchange.writer.write(b" ")
        await exchange.writer.drain()
        await asyncio.sleep(0.02)


async def reset(exchange: Exchange) -> None:
    """The connection is reset, not closed."""
    raw: socket.socket = exchange.writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.writer.transport.abort()


REFUSAL = body(completion({"content": None, "refusal": "I cannot help with that."}))
NO_CHOICE = body(json.dumps({"choices": [], "usage": USAGE}).encode())
HUGE = body(completion({"content": "x" * 10_000_000}))
HUGE_ERROR = raw_status(500, b'{"error": {"message": "' + b"x" * 10_000_000 + b'"}}')

PASSING = (status(429), status(408), status(409), half, reset)
"""The faults after which every adapter tries again."""
UNENDING = (hang, drip, HUGE_ERROR)
"""The faults that never lead to an answer, no matter how long one waits."""
