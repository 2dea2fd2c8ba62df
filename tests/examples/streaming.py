"""A scripted model that streams its answers over real HTTP and breaks off on request."""

import json
import re
from collections.abc import Sequence

from tests.cli.model_server import decomposed, schema_of
from tests.models.fault_server import Exchange, Fault, FaultServer, answer

PLANS: dict[str, object] = {
    "DecomposeReply": decomposed("", ""),
    "ExpandReply": {"intent": "", "facets": []},
    "ExpandWithKept": {"intent": "", "facets": [], "facts": [], "preferences": []},
    "CritiqueReply": {"votes": [], "new_queries": [], "go_on": False},
}
"""Replies that plan and judge nothing, so that the ranking without a model stays."""

_FACT = re.compile(r"<message (\w+)>\nuser \| \S+\n(My (\w+) is now ([^.\n]+))")


def observed(prompt: str) -> dict[str, object]:
    """A reply that reads only sentences like "My … is now …"."""
    return {
        "memories": [
            {
                "message": message,
                "quote": quote,
                "kind": "fact",
                "subject": "me",
                "attribute": attribute,
                "value": value,
                "text": "",
                "scope": "",
                "topic": "",
                "change": "is now",
                "sure": True,
            }
            for message, quote, attribute, value in _FACT.findall(prompt)
        ]
    }


def writing(*scripts: Fault) -> FaultServer:
    """A server that plans nothing, observes plain facts, and plays a script for each answer.

    The last script repeats.
    """
    left = list(scripts)

    async def play(exchange: Exchange) -> None:
        if not exchange.asked.get("stream"):
            known = {
                **PLANS,
                "ObserveReply": observed(str(exchange.asked["messages"][-1]["content"])),
            }
            said = known[schema_of(exchange.asked)]
            await answer(json.dumps(said))(exchange)
            return
        await (left.pop(0) if len(left) > 1 else left[0])(exchange)

    return FaultServer(otherwise=play)


def streamed(pieces: Sequence[str], *, finish: str | None = "stop") -> Fault:
    """A whole stream; without `finish` it ends early but in order, as if the server shut down."""

    async def play(exchange: Exchange) -> None:
        chunks = [chunk(piece) for piece in pieces]
        if finish:
            chunks += [chunk("", finish=finish), b"data: [DONE]\n\n"]
        await exchange.send(200, b"".join(chunks))

    return play


def torn(pieces: Sequence[str]) -> Fault:
    """A stream whose connection is closed in the middle."""

    async def play(exchange: Exchange) -> None:
        await begin(exchange, pieces)
        exchange.writer.close()

    return play


def silent_after(pieces: Sequence[str]) -> Fault:
    """A stream that sends these pieces and then nothing until the client hangs up."""

    async def play(exchange: Exchange) -> None:
        await begin(exchange, pieces)
        await exchange.until_the_client_goes()

    return play


async def begin(exchange: Exchange, pieces: Sequence[str]) -> None:
    """Send a head that promises more than the pieces, then the pieces."""
    await exchange.send_head(200, length=1_000_000)
    exchange.writer.write(b"".join(chunk(piece) for piece in pieces))
    await exchange.writer.drain()


def chunk(text: str, *, finish: str | None = None) -> bytes:
    """One server-sent event of a chat completion."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return (
        f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n".encode()
    )


def prompts(server: FaultServer) -> list[str]:
    """What the model was sent for each streamed answer: all messages of a request as one text."""
    return [
        "\n".join(str(message["content"]) for message in asked["messages"])
        for asked in server.asked
        if asked.get("stream")
    ]
