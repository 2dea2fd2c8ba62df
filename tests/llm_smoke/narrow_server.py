"""The real server behind a door that refuses the stricter ways of asking, as small servers do."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from tests.models.fault_server import Exchange, Fault, FaultServer, running

from secondhop.models.chat_transport import MODES, AnswerMode

REFUSAL = 400
GIVES_UP_AFTER_S = 300.0
"""Later than any client: the door must not be what times out."""


def stricter_than(mode: AnswerMode) -> tuple[AnswerMode, ...]:
    """The ways of asking that come before it, in order."""
    return MODES[: MODES.index(mode)]


@asynccontextmanager
async def narrow_server(base_url: str, *, mode: AnswerMode) -> AsyncGenerator[FaultServer]:
    """A server that can do `mode` and what is laxer; what it does not refuse is answered there.

    Args:
        base_url: of the real server.
    """
    door = FaultServer(
        modes=frozenset(MODES) - frozenset(stricter_than(mode)),
        refusal_status=REFUSAL,
        otherwise=passed_on(base_url),
    )
    async with running(door):
        yield door


def passed_on(base_url: str) -> Fault:
    """What the real server says to the same request."""

    async def play(exchange: Exchange) -> None:
        status, said = await asyncio.to_thread(posted, base_url, exchange.asked)
        await exchange.send(status, said)

    return play


def posted(base_url: str, asked: Mapping[str, object]) -> tuple[int, bytes]:
    """Status and body of the response; an error's too."""
    request = urllib.request.Request(
        f"{base_url}/chat/completions",
        json.dumps(asked).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=GIVES_UP_AFTER_S) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
