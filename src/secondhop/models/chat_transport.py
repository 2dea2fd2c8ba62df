"""The interface to a chat server: one request, one reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import BaseModel

from secondhop.models.llm import ChatMessage, Usage

AnswerMode = Literal["json_schema", "json_object", "text"]
"""A way to ask for an answer in a shape, strictest first."""


class BrokenReplyError(Exception):
    """Internal to the adapters: the server answered with something that is no reply."""

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage


class RepeatAtOnceError(Exception):
    """Internal to the adapters: the server did nothing; the request goes out again, changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request; `messages` hold the schema where the mode does not tell the model the shape."""

    messages: Sequence[ChatMessage]
    mode: AnswerMode
    schema: type[BaseModel]
    max_tokens: int
    """Of the reply, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What the model wrote."""

    text: str
    usage: Usage | None
    """Tokens alone. None: the server does not say."""
    refused: bool = False
    """The model, or a filter, declined."""
    cut_off: bool = False
    """It reached the bound on tokens."""


class ChatTransport(Protocol):
    """Sends single requests to one model: no retries, no repairs, no time limit of its own."""

    @property
    def modes(self) -> Sequence[AnswerMode]:
        """The ways it can ask in, strictest first; "text" is the last."""
        ...

    async def send(self, request: ChatRequest) -> ChatReply:
        """One request.

        Raises:
            ModelError: another try would bring nothing.
            BrokenReplyError: what came back is no reply.
            Exception: whatever the library behind it raises; `retry_policy` reads it.
        """
        ...

    def explain(self, error: Exception) -> str:
        """What happened and what to do, in words that hold neither key nor prompt."""
        ...
