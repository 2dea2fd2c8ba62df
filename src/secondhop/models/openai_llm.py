"""Typed answers from OpenAI, or any server that speaks its chat-completions protocol."""

import asyncio
import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from secondhop.errors import ModelError, UsageError
from secondhop.models.account import Account
from secondhop.models.answer_modes import SURE, AnswerMode, mode_body, mode_request
from secondhop.models.asking import (
    BYTES_PER_REPLY,
    Asking,
    Written,
    completed,
    read_or_repaired,
)
from secondhop.models.chat_reply import ChatReply
from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.json_replies import with_request
from secondhop.models.llm import ChatMessage, Completion, sendable
from secondhop.models.openai_address import base_url_of, place_of
from secondhop.models.openai_client import OpenAIClients, OpenAIConnection, call_with_retries
from secondhop.models.openai_endpoint import endpoint_of
from secondhop.models.openai_request import ChatRequest, ChatSender
from secondhop.models.prompt_size import ready_to_count
from secondhop.models.retries import Patience

if TYPE_CHECKING:
    from openai import APIStatusError

T = TypeVar("T", bound=BaseModel)

_REFUSES_MODE = frozenset({400, 415, 422, 501})
_HOPELESS = frozenset({"context_length_exceeded", "content_filter", "model_not_found"})
"""Codes of a 400 that no other way of asking would cure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAILLMConfig:
    """Which model, and how far to go for one answer."""

    model: str
    connection: OpenAIConnection = field(default_factory=OpenAIConnection)
    temperature: float | None = None
    """None: the server's default; some models refuse any other."""
    requests_per_answer: int = 8
    """Retries, other ways of asking and the repair turn together."""
    bytes_per_reply: int = BYTES_PER_REPLY
    concurrency: int = 256
    """Requests at once on an event loop; a server's own limit shows itself as 429."""
    breaker: BreakerSettings = field(default_factory=BreakerSettings)

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("an OpenAI model needs a name, e.g. openai:gpt-4.1-mini")
        if min(self.requests_per_answer, self.bytes_per_reply, self.concurrency) < 1:
            raise UsageError("OpenAILLMConfig: every limit must be >= 1")


class _ModeRefusedError(ModelError):
    """The server cannot answer in this mode."""

    def __init__(self, message: str, *, strikes: int) -> None:
        super().__init__(message)
        self.strikes = strikes


@dataclass(slots=True, kw_only=True)
class _Asking(Asking[T]):
    """One call of `complete`, and what the server has refused of it."""

    refused: dict[AnswerMode, int] = field(default_factory=dict[AnswerMode, int])
    word_changed: bool = False


class OpenAILLM:
    """A chat model behind the OpenAI protocol: json_schema, or the next best the server can.

    Safe to use from several event loops. Close with `aclose()` on the loop that used it.
    """

    def __init__(self, config: OpenAILLMConfig) -> None:
        # here, not in the first answer: both take longer than a deadline may be
        importlib.import_module("openai.resources.chat.completions")
        ready_to_count()
        self._config = config
        base_url = base_url_of(config.connection.base_url)
        self._name = f"openai:{config.model}" + (f"@{place_of(base_url)}" if base_url else "")
        self._clients = OpenAIClients(config.connection)
        self._endpoint = endpoint_of(base_url, config.model, config.breaker)
        self._sender = ChatSender(
            self._endpoint,
            name=self._name,
            timeout_s=config.connection.timeout_s,
            concurrency=config.concurrency,
            bytes_per_reply=config.bytes_per_reply,
        )

    @property
    def model_id(self) -> str:
        """ "openai:<model>", with "@<host and path>" of a server that is not OpenAI's own."""
        return self._name

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
        """As the port says; the first request in a new mode may cost a refusal or two.

        Raises:
            LLMError: no valid answer within these bounds; tells what was spent.
        """
        asking = _Asking(
            name=self._name,
            messages=[sendable(message) for message in messages],
            schema=schema,
            max_tokens=max_tokens,
            account=Account(
                deadline=asyncio.get_running_loop().time() + deadline_s,
                requests=min(self._config.requests_per_answer, max_calls),
                tokens=max_total_tokens,
            ),
        )
        return await completed(asking, lambda: self._answer(asking), deadline_s=deadline_s)

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._clients.aclose()

    async def _answer(self, asking: _Asking[T]) -> T:
        modes = self._endpoint.modes
        asking.refused.update(modes.take_doubts())
        for mode in modes.usable(besides=asking.refused):
            request = mode_request(mode, asking.schema)
            messages = with_request(asking.messages, request) if request else asking.messages
            try:
                reply = await self._reply(messages, mode=mode, asking=asking)
            except _ModeRefusedError as refusal:
                asking.refused[mode] = refusal.strikes
                if not asking.account.requests_left:
                    modes.doubt(asking.refused)
                    raise ModelError(f"{refusal}, and no request is left for another way") from None
                continue
            modes.answered(mode, refused=asking.refused)
            return await self._read(reply, mode=mode, asking=asking)
        raise AssertionError('unreachable: "text" is always tried, and never a refused mode')

    async def _read(self, reply: ChatReply, *, mode: AnswerMode, asking: _Asking[T]) -> T:
        """The answer in the reply, or in that to one repair turn."""

        async def repaired(turns: Sequence[ChatMessage]) -> Written:
            return _written(await self._reply(turns, mode=mode, asking=asking))

        return await read_or_repaired(_written(reply), asking, repaired)

    async def _reply(
        self, messages: Sequence[ChatMessage], *, mode: AnswerMode, asking: _Asking[T]
    ) -> ChatReply:
        """A reply in this mode, after failures that pass."""
        connection, account = self._config.connection, asking.account
        reply = await call_with_retries(
            lambda: self._try(messages, mode=mode, asking=asking),
            connection=connection,
            patience=Patience(
                attempts=max(1, min(connection.attempts, account.requests_left)),
                longest_wait_s=lambda: max(0.0, min(connection.max_wait_s, account.left_s())),
            ),
            what=f"asking {self._name}",
        )
        if reply.refused:
            raise ModelError(f"{self._name} declined to answer")
        return reply

    async def _try(
        self, messages: Sequence[ChatMessage], *, mode: AnswerMode, asking: _Asking[T]
    ) -> ChatReply:
        from openai import APIStatusError

        word = self._endpoint.token_word
        heat = self._config.temperature
        request = ChatRequest(
            model=self._config.model,
            messages=messages,
            shape=mode_body(mode, asking.schema),
            settings={} if heat is None else {"temperature": heat},
            max_tokens=asking.max_tokens,
            token_word=word,
        )
        try:
            return await self._sender.send(
                request, client=self._clients.current(), account=asking.account
            )
        except APIStatusError as error:
            if _about_token_word(error) and not asking.word_changed:
                asking.word_changed = True
                self._endpoint.other_word(word)
                return await self._try(messages, mode=mode, asking=asking)
            if strikes := self._strikes(error, mode=mode):
                told = f"{self._name} cannot answer by {mode}: HTTP {error.status_code}"
                raise _ModeRefusedError(told, strikes=strikes) from error
            raise

    def _strikes(self, error: "APIStatusError", *, mode: AnswerMode) -> int:
        """How surely this status means that the server cannot do the mode; 0: it means another."""
        if mode == "text" or error.code in _HOPELESS:
            return 0
        if error.status_code in _REFUSES_MODE:
            return SURE
        # llama.cpp's answer to json_schema; but any server stumbles once
        return int(error.status_code == 500 and not self._endpoint.modes.proven(mode))


def _about_token_word(error: "APIStatusError") -> bool:
    return error.status_code in (400, 422) and "max_completion_tokens" in str(error.message)


def _written(reply: ChatReply) -> Written:
    return Written(text=reply.text, cut_off=reply.cut_off)
