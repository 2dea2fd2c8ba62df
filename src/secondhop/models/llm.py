"""The interface of language models: one call, one typed answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, NotRequired, Protocol, TypedDict, TypeVar, runtime_checkable

from pydantic import BaseModel

from secondhop.errors import ModelError

T = TypeVar("T", bound=BaseModel)

LEAST_REPLY = 200
"""Tokens; with less left for the reply a request is not worth its prompt."""


class ChatMessage(TypedDict):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


def sendable(message: ChatMessage) -> ChatMessage:
    """With "?" for half characters: a lone surrogate is no UTF-8, and would fail the request."""
    plain = message["content"].encode("utf-8", "replace").decode("utf-8")
    return ChatMessage(role=message["role"], content=plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What an answer cost, repeats and repairs included."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Of `prompt_tokens`, those that the server had in its cache."""
    lost_tokens: int = field(default=0, compare=False)
    """The most that replies which never came may have cost. It is not known and so in no bill, but
    no budget has it any more. Two usages that differ in it alone are equal."""

    @property
    def tokens(self) -> int:
        """Of prompts and completions together."""
        return self.prompt_tokens + self.completion_tokens

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
    """The language model could not be reached, or gave nothing that fits the schema."""

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()
        """What was spent before it failed."""


class AnswerBounds(TypedDict):
    """The bounds of `complete`, as adapters take them and hand them on."""

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
            max_tokens: upper bound on generated tokens of a try, without what a model thinks before
                it writes.
            deadline_s: seconds from now, retries included.
            max_calls: requests that may be sent: retries, other ways of asking and repairs
                together. Hard.
            max_total_tokens: prompt and completion tokens of all requests; none is sent that may
                exceed them. What cannot be known before: how the model counts its prompt (it is
                estimated), and whether a reply that was lost on its way was charged (its full
                price is set aside, as `Usage.lost_tokens`).

        Raises:
            LLMError: no valid answer within these bounds; tells what was spent.
        """
        ...


@runtime_checkable
class KeepsAnswers(Protocol):
    """What a language model has besides, when its answers are kept to be given again."""

    @property
    def tag_secret(self) -> bytes:
        """A fixed secret for the tags around stored text, so that equal sheets are equal prompts.

        Only evaluations have one: tags of a real recall must be unguessable.
        """
        ...

    async def forget(self, messages: Sequence[ChatMessage], *, schema: type[BaseModel]) -> None:
        """The answer to this fits the schema and cannot be used all the same: never again."""
        ...
