"""The interface of language models: one call, one typed answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, NotRequired, Protocol, TypedDict, TypeVar, runtime_checkable

from pydantic import BaseModel

from secondhop.errors import ModelError

T = TypeVar("T", bound=BaseModel)

LEAST_REPLY = 200
"""Tokens. If fewer are left for the reply, a request is not worth its prompt."""


class ChatMessage(TypedDict):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


def sendable(message: ChatMessage) -> ChatMessage:
    """The message with "?" for lone surrogates, which are not UTF-8 and would fail the request."""
    plain = message["content"].encode("utf-8", "replace").decode("utf-8")
    return ChatMessage(role=message["role"], content=plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What an answer cost, retries and repairs included."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that the server had in its cache."""
    lost_tokens: int = field(default=0, compare=False)
    """The most tokens that lost replies may have cost. The true cost is unknown, so it is in no
    other field, but budgets are charged with it. It does not count in comparisons."""

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def charged_tokens(self) -> int:
        """The tokens that count towards a budget, including what lost replies may have cost."""
        return self.tokens + self.lost_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            lost_tokens=self.lost_tokens + other.lost_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion(Generic[T]):
    """A validated answer and what it cost."""

    parsed: T
    usage: Usage


class LLMError(ModelError):
    """The language model could not be reached, or its answer did not fit the schema."""

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()
        """What was spent before it failed."""


class AnswerBounds(TypedDict):
    """The bounds of `StructuredLLM.complete`."""

    max_tokens: int
    deadline_s: float
    max_calls: int
    max_total_tokens: NotRequired[int | None]


class StructuredLLM(Protocol):
    """A language model that answers in a given shape."""

    @property
    def model_id(self) -> str:
        """Names the model and where it runs; part of cache keys."""
        ...

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[T],
        max_tokens: int,
        deadline_s: float,
        max_calls: int,
        max_total_tokens: int | None = None,
    ) -> Completion[T]:
        """One answer that validates against `schema`.

        Args:
            messages: the prompt, in order.
            schema: what the answer must be.
            max_tokens: upper bound on the generated tokens of one try, without those that a model
                thinks before it writes.
            deadline_s: seconds from now, retries included.
            max_calls: hard limit on requests: retries, other modes and repairs together.
            max_total_tokens: prompt and completion tokens of all requests together; a request
                that may exceed them is not sent. Two things cannot be known exactly: how the model
                counts its prompt (it is estimated), and whether a lost reply was charged (its full
                price is set aside as `Usage.lost_tokens`).

        Raises:
            LLMError: no valid answer within these bounds; holds what was spent.
        """
        ...


@runtime_checkable
class KeepsAnswers(Protocol):
    """What a language model with cached answers offers in addition."""

    @property
    def tag_secret(self) -> bytes:
        """A fixed secret for the tags around stored text, so that equal sheets give equal prompts.

        Only evaluations have one; the tags of a real recall must be unguessable.
        """
        ...

    async def forget(self, messages: Sequence[ChatMessage], *, schema: type[BaseModel]) -> None:
        """Drop the kept answer to this prompt: it fits the schema but cannot be used."""
        ...
