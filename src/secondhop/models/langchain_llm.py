"""Any langchain-core chat model as a structured language model."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from pydantic import BaseModel

from secondhop.errors import ModelError, UsageError
from secondhop.models.account import Account, estimated_tokens
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


class LangchainLLM:
    """Adapts a `BaseChatModel`: its structured output where it has one, else text and one repair.

    The time limit of a single request is the chat model's own; the deadline is ours. A chat model
    that repeats failed requests by itself hides them from every count: give it `max_retries=0`.
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
        if "max_retries" in type(model).model_fields and getattr(model, "max_retries", 0) != 0:
            _log.warning(
                "%s repeats failed requests by itself, which no limit on calls can see; "
                "build it with max_retries=0",
                self._model_id,
            )
        self._breaker = CircuitBreaker(breaker or BreakerSettings())
        self._proven = False
        """It has given structured output."""
        self._refusals = 0
        """How often it failed to, and then answered when asked for text."""
        self._doubted = False
        """It failed to, and no request was left to ask for text: the next answer begins there."""

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
        max_calls: int,
        max_total_tokens: int | None = None,
    ) -> Completion[T]:
        """As the port says.

        `max_tokens` holds where the model has a field for it (max_tokens, num_predict, …).

        Raises:
            LLMError: no valid answer within these bounds; tells what was spent.
        """
        account = Account(
            deadline=asyncio.get_running_loop().time() + deadline_s,
            requests=max_calls,
            tokens=max_total_tokens,
        )
        asking = _Asking(schema=schema, max_tokens=max_tokens, account=account)
        try:
            async with self._watched(deadline_s):
                parsed = await self._answer(messages, asking)
        except TimeoutError as error:
            told = f"{self._model_id} gave no answer within {deadline_s:g} s; allow more time"
            raise LLMError(told, usage=account.closed()) from error
        except ModelError as error:
            raise LLMError(str(error), usage=account.closed()) from error
        except asyncio.CancelledError as error:
            raise account.cancelled() from error
        return Completion(parsed=parsed, usage=account.closed())

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

    async def _answer(self, messages: Sequence[ChatMessage], asking: "_Asking[T]") -> T:
        schema = asking.schema
        text = await self._structured_text(messages, asking)
        if text is None:
            text = await self._plain_text(with_request(messages, schema_request(schema)), asking)
            self._refusals += 1
        try:
            return read_reply(text, schema)
        except UnreadableReplyError as error:
            problem = str(error)
            if not asking.account.requests_left:
                told = f"{self._model_id} gave nothing that fits {schema.__name__}: {problem}"
                raise ModelError(f"{told}; no request is left to ask again") from error
        repair = repair_turn(messages, reply=text, problem=problem, schema=schema)
        try:
            return read_reply(await self._plain_text(repair, asking), schema)
        except UnreadableReplyError as error:
            raise ModelError(
                f"{self._model_id} answered twice, and neither fits {schema.__name__}: {error}"
            ) from error

    async def _structured_text(
        self, messages: Sequence[ChatMessage], asking: "_Asking[T]"
    ) -> str | None:
        """What the model writes under its own structured output; None: ask it for text.

        It is read by our rules, not the adapter's: the same answer must count with every model.
        """
        if not self._proven and not self._may_structure(asking.schema):
            return None

        def structured(model: "BaseChatModel") -> Awaitable[object]:
            runnable = model.with_structured_output(asking.schema, include_raw=True)
            return runnable.ainvoke(_pairs(messages))

        prompt = _prompt_tokens(messages) + estimated_tokens(schema_request(asking.schema))
        try:
            answer = await self._called(structured, asking, prompt=prompt)
        except ModelError:
            self._doubted = not self._proven and not asking.account.requests_left
            if self._proven or self._doubted:
                raise
            return None
        self._proven = True
        raw = cast("AIMessage", cast("dict[str, object]", answer)["raw"])
        asking.account.charge(_told(raw, prompt=prompt))
        return _text(raw)

    def _may_structure(self, schema: type[BaseModel]) -> bool:
        """Whether its own structured output is worth a request, before it has given any."""
        if self._refusals >= _SURE or self._doubted:
            self._doubted = False
            return False
        try:
            self._model.with_structured_output(schema, include_raw=True)
        except Exception:  # a foreign class refuses as it likes; asking for text always remains
            _log.debug("%s has no structured output", self._model_id, exc_info=True)
            self._refusals = _SURE
            return False
        return True

    async def _plain_text(self, messages: Sequence[ChatMessage], asking: "_Asking[T]") -> str:
        prompt = _prompt_tokens(messages)
        raw = await self._called(
            lambda model: model.ainvoke(_pairs(messages)), asking, prompt=prompt
        )
        asking.account.charge(_told(raw, prompt=prompt))
        return _text(raw)

    async def _called(
        self, call: "Callable[[BaseChatModel], Awaitable[R]]", asking: "_Asking[T]", *, prompt: int
    ) -> R:
        reply = asking.account.open_request(prompt=prompt, wanted=asking.max_tokens)
        try:
            return await call(_bounded(self._model, reply))
        except Exception as error:  # a foreign class raises what it likes: named, never swallowed
            told = f"{type(error).__name__}: {str(error)[:200]}"
            raise ModelError(f"asking {self._model_id} failed: {told}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking(Generic[T]):
    """One call of `complete`."""

    schema: type[T]
    max_tokens: int
    account: Account


def _pairs(messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


def _prompt_tokens(messages: Sequence[ChatMessage]) -> int:
    return sum(estimated_tokens(message["content"]) for message in messages)


def _told(raw: "AIMessage", *, prompt: int) -> Usage:
    """As the model told; by length when it does not."""
    told = raw.usage_metadata
    if told is None:
        return Usage(prompt_tokens=prompt, completion_tokens=estimated_tokens(_text(raw)))
    return Usage(
        prompt_tokens=told["input_tokens"],
        completion_tokens=told["output_tokens"],
        cached_tokens=told.get("input_token_details", {}).get("cache_read", 0),
    )


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
