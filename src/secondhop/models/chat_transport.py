"""The interface to a chat server: one request, one reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import BaseModel

from secondhop.models.llm import ChatMessage, Usage

AnswerMode = Literal["json_schema", "json_object", "text"]
"""Ways to ask for an answer that fits a schema, strictest first."""


class BrokenReplyError(Exception):
    """Internal to the adapters: what the server sent back is not a reply."""

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage


class RepeatAtOnceError(Exception):
    """Internal to the adapters: the server did nothing; send the request again, changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request; `messages` hold the schema if the mode does not send it."""

    messages: Sequence[ChatMessage]
    mode: AnswerMode
    schema: type[BaseModel]
    max_tokens: int
    """The most tokens that the reply may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What the model wrote."""

    text: str
    usage: Usage | None
    """Tokens only, no calls. None: the server does not report them."""
    refused: bool = False
    """Whether the model or a filter declined to answer."""
    cut_off: bool = False
    """Whether the reply ended at the bound on tokens."""


class ChatTransport(Protocol):
    """Sends single requests to one model: no retries, no repairs, no time limit of its own."""

    @property
    def modes(self) -> Sequence[AnswerMode]:
        """The modes that it supports, strictest first; "text" is the last."""
        ...

    async def send(self, request: ChatRequest) -> ChatReply:
        """Send one request.

        Raises:
            ModelError: another try would not help.
            BrokenReplyError: what came back is not a reply.
            Exception: whatever the library behind it raises; `retry_policy` interprets it.
        """
        ...

    def explain(self, error: Exception) -> str:
        """What happened and what to do, without the key or the prompt."""
        ...
