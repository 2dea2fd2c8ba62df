"""What the adapter sent to the server, request by request, and what became of it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from openai import APIStatusError

from secondhop.errors import ModelError
from secondhop.models.chat_transport import AnswerMode, ChatReply
from secondhop.models.json_replies import UnreadableReplyError, read_reply
from secondhop.models.llm import ChatMessage, Usage
from secondhop.models.structured_chat import StructuredChat
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
    """Listens to every request of the process; nothing is changed on the way."""
    wire, send = Wire(), StructuredChat._try  # pyright: ignore[reportPrivateUsage] - the one place

    async def heard(
        self: StructuredChat, messages: Sequence[ChatMessage], asking: Any, *, mode: AnswerMode
    ) -> ChatReply:
        began, end, usage = time.perf_counter(), "no reply", Usage()
        try:
            reply = await send(self, messages, asking, mode=mode)
            end, usage = end_of(reply, schema=asking.schema.__name__), reply.usage or usage
            return reply
        except (APIStatusError, ModelError) as error:
            status = error if isinstance(error, APIStatusError) else error.__cause__
            # else the circuit is open, or nothing is left to spend
            end = f"HTTP {status.status_code}" if isinstance(status, APIStatusError) else "not sent"
            raise
        finally:
            wire.sent.append(
                Sent(
                    schema=asking.schema.__name__,
                    mode=mode,
                    repair=any(told["role"] == "assistant" for told in messages),
                    end=end,
                    seconds=time.perf_counter() - began,
                    usage=usage,
                )
            )

    patch.setattr(StructuredChat, "_try", heard)
    return wire


def end_of(reply: ChatReply, *, schema: str) -> str:
    """What the adapter makes of the reply."""
    try:
        read_reply(reply.text, SCHEMAS[schema])
    except UnreadableReplyError:
        return "cut off" if reply.cut_off else "does not fit"
    return "fits"
