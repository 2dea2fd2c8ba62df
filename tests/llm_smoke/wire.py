"""What the adapter sent to the server, request by request, and what became of it."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from openai import APIStatusError
from tests.models.fault_server import mode_of

from secondhop.errors import ModelError
from secondhop.models.chat_reply import ChatReply
from secondhop.models.json_replies import UnreadableReplyError, read_reply, schema_request
from secondhop.models.llm import Usage
from secondhop.models.openai_request import ChatRequest, ChatSender
from secondhop.nodes.critics.vote_schema import CritiqueReply
from secondhop.nodes.planning.schema import DecomposeReply, ExpandReply

SCHEMAS = {schema.__name__: schema for schema in (DecomposeReply, ExpandReply, CritiqueReply)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request."""

    schema: str
    mode: str
    repair: bool
    """It shows the model an answer that did not fit."""
    end: str
    """"fits", "cut off" or "does not fit"; else "HTTP 500" and so on, "no reply", "not sent"."""
    seconds: float
    usage: Usage

    @property
    def answered(self) -> bool:
        """A reply came, whatever it says."""
        return self.end in ("fits", "cut off", "does not fit")

    @property
    def refused(self) -> bool:
        """The server answered with an error."""
        return self.end.startswith("HTTP ")


@dataclass(slots=True)
class Wire:
    """All requests of a test, in the order of their ends."""

    sent: list[Sent] = field(default_factory=list[Sent])

    def of(self, schema: str, mode: str | None = None) -> Sequence[Sent]:
        """Those that want this schema (in this mode)."""
        return [one for one in self.sent if one.schema == schema and mode in (None, one.mode)]


def tapped(patch: pytest.MonkeyPatch) -> Wire:
    """Listens to every `ChatSender` of the process; nothing is changed on the way."""
    wire, send = Wire(), ChatSender.send

    async def heard(self: ChatSender, request: ChatRequest, **how: Any) -> ChatReply:
        began, end, usage = time.perf_counter(), "no reply", Usage()
        try:
            reply = await send(self, request, **how)
            end, usage = end_of(reply, schema=schema_of(request)), reply.usage or usage
            return reply
        except APIStatusError as error:
            end = f"HTTP {error.status_code}"
            raise
        except ModelError:  # the circuit is open, or nothing is left to spend
            end = "not sent"
            raise
        finally:
            wire.sent.append(
                Sent(
                    schema=schema_of(request),
                    mode=mode_of(dict(request.shape)),
                    repair=any(told["role"] == "assistant" for told in request.messages),
                    end=end,
                    seconds=time.perf_counter() - began,
                    usage=usage,
                )
            )

    patch.setattr(ChatSender, "send", heard)
    return wire


def schema_of(request: ChatRequest) -> str:
    """The name of what is asked for: the shape has it, or the prompt ends with its schema."""
    shape, last = json.dumps(request.shape), request.messages[-1]["content"]
    (found,) = [
        name
        for name, schema in SCHEMAS.items()
        if f'"name": "{name}"' in shape or last.endswith(schema_request(schema))
    ]
    return found


def end_of(reply: ChatReply, *, schema: str) -> str:
    """What the adapter makes of the reply."""
    try:
        read_reply(reply.text, SCHEMAS[schema])
    except UnreadableReplyError:
        return "cut off" if reply.cut_off else "does not fit"
    return "fits"
