"""Any langchain-core chat model as a structured language model."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import BaseModel

from secondhop.errors import ModelError, UsageError
from secondhop.models.circuit_breaker import BreakerSettings, CircuitBreaker
from secondhop.models.json_replies import (
    UnreadableReplyError,
    read_reply,
    repair_turn,
    schema_request,
    with_request,
)
from secondhop.models.llm import ChatMessage, Completion, LLMError, Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")

_log = logging.getLogger(__name__)

_MODEL_ATTRIBUTES = ("model", "model_name", "model_id", "deployment_name", "repo_id")
_BOUND_ATTRIBUTES = ("max_tokens", "max_output_tokens", "num_predict", "max_tokens_to_sample")
_FAIR_WAIT_S = 1.0
"""A caller that gave less time than this has not shown that the model is dead."""
_SURE = 3


class _Spent:
    """What one answer has cost so far."""

    def __init__(self) -> None:
        self.usage = Usage()

    def count_call(self) -> None:
        self.usage += Usage(calls=1)

    def count_tokens(self, raw: "AIMessage") -> None:
        told = raw.usage_metadata
        if told is None:
            return
        self.usage += Usage(
            prompt_tokens=told["input_tokens"],
            completion_tokens=told["output_tokens"],
            cached_tokens=told.get("input_token_details", {}).get("cache_read", 0),
        )


class LangchainLLM:
    """Adapts a `BaseChatModel`: its structured output where it has one, else text and one repair.

    Retries and time limits of single requests are the chat model's own; the deadline is ours.
    """

    def __init__(
        self,
        model: "BaseChatModel",
        *,
        model_id: str | None = None,
        breaker: BreakerSettings | None = None,
    ) -> None:
        """Without `model_id` it is "langchain:<class>:<model>", from the object's model attribute.

        Raises:
            UsageError: no `model_id`, and the object does not tell its model.
        """
        self._model = model
        self._model_id = model_id or _derived_id(model)
        self._breaker = CircuitBreaker(breaker or BreakerSettings())
        self._proven = False
        """It has given structured output."""
        self._refusals = 0
        """How often it failed to, and then answered when asked for text."""

    @property
    def model_id(self) -> str:
        """As given, or derived from the class and its model attribute."""
        return self._model_id

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[T],
        max_tokens: int,
        deadline_s: float,
    ) -> Completion[T]:
        """As the port says.

        `max_tokens` holds where the model has a field for it (max_tokens, num_predict, …).

        Raises:
            LLMError: no valid answer within the deadline; tells what was spent.
        """
        spent, model = _Spent(), _bounded(self._model, max_tokens)
        try:
            async with self._watched(deadline_s):
                parsed = await self._answer(messages, schema=schema, model=model, spent=spent)
        except TimeoutError as error:
            told = f"{self._model_id} gave no answer within {deadline_s:g} s; allow more time"
            raise LLMError(told, usage=spent.usage) from error
        except ModelError as error:
            raise LLMError(str(error), usage=spent.usage) from error
        return Completion(parsed=parsed, usage=spent.usage)

    @asynccontextmanager
    async def _watched(self, deadline_s: float) -> AsyncGenerator[None]:
        """In time, and watched by the circuit breaker: waiting in vain is what it counts."""
        if deadline_s <= 0:
            raise TimeoutError
        if not self._breaker.admit():
            raise ModelError(
                f"{self._model_id} did not answer before; it is left alone for "
                f"{self._breaker.rests_s():.0f} s more"
            )
        started = time.monotonic()
        try:
            async with asyncio.timeout(deadline_s):
                yield
        except TimeoutError:
            if (waited_s := time.monotonic() - started) >= _FAIR_WAIT_S:
                self._breaker.failed(cost_s=waited_s)
            raise
        except ModelError:
            self._breaker.succeeded()
            raise
        else:
            self._breaker.succeeded()
        finally:
            self._breaker.abandoned()  # frees the place of a probe that was cancelled

    async def _answer(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[T],
        model: "BaseChatModel",
        spent: _Spent,
    ) -> T:
        text = await self._structured_text(messages, schema=schema, model=model, spent=spent)
        if text is None:
            request = with_request(messages, schema_request(schema))
            text = _text(await self._ask(request, model=model, spent=spent))
            self._refusals += 1
        try:
            return read_reply(text, schema)
        except UnreadableReplyError as error:
            repair = repair_turn(messages, reply=text, problem=str(error), schema=schema)
        try:
            return read_reply(_text(await self._ask(repair, model=model, spent=spent)), schema)
        except UnreadableReplyError as error:
            raise ModelError(
                f"{self._model_id} answered twice, and neither fits {schema.__name__}: {error}"
            ) from error

    async def _structured_text(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[T],
        model: "BaseChatModel",
        spent: _Spent,
    ) -> str | None:
        """What the model writes under its own structured output; None: ask it for text.

        It is read by our rules, not the adapter's: the same answer must count with every model.
        """
        if not self._proven and self._refusals >= _SURE:
            return None
        try:
            runnable = model.with_structured_output(schema, include_raw=True)
        except Exception:  # a foreign class refuses as it likes; asking for text always remains
            _log.debug("%s has no structured output", self._model_id, exc_info=True)
            self._refusals = _SURE
            return None
        try:
            answer = await self._called(runnable.ainvoke(_pairs(messages)), spent=spent)
        except ModelError:
            if self._proven:
                raise
            return None
        self._proven = True
        raw = cast("AIMessage", cast("dict[str, object]", answer)["raw"])
        spent.count_tokens(raw)
        return _text(raw)

    async def _ask(
        self, messages: Sequence[ChatMessage], *, model: "BaseChatModel", spent: _Spent
    ) -> "AIMessage":
        raw = await self._called(model.ainvoke(_pairs(messages)), spent=spent)
        spent.count_tokens(raw)
        return raw

    async def _called(self, call: Awaitable[R], *, spent: _Spent) -> R:
        spent.count_call()
        try:
            return await call
        except Exception as error:  # a foreign class raises what it likes: named, never swallowed
            told = f"{type(error).__name__}: {str(error)[:200]}"
            raise ModelError(f"asking {self._model_id} failed: {told}") from error


def _pairs(messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


def _text(raw: "AIMessage") -> str:
    """Arguments of the first tool call, sound or not, as JSON; else the text."""
    if raw.tool_calls:
        return json.dumps(raw.tool_calls[0]["args"], default=str)
    if raw.invalid_tool_calls:
        return raw.invalid_tool_calls[0]["args"] or ""
    return str(raw.text)


def _bounded(model: "BaseChatModel", max_tokens: int) -> "BaseChatModel":
    """The model with at most so many generated tokens, where it has a field for that."""
    for name in _BOUND_ATTRIBUTES:
        if name in type(model).model_fields:
            own: object = getattr(model, name)
            bound = min(own, max_tokens) if isinstance(own, int) and own > 0 else max_tokens
            return model.model_copy(update={name: bound})
    return model


def _derived_id(model: "BaseChatModel") -> str:
    for attribute in _MODEL_ATTRIBUTES:
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return f"langchain:{type(model).__name__}:{name}"
    raise UsageError(
        f"{type(model).__name__} does not tell which model it is; pass model_id, so that cached "
        f"answers of another model are not taken for its own"
    )
