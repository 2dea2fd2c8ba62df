"""Typed answers from a chat model, for all adapters: modes, retries, limits and one repair."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, Unpack

from pydantic import BaseModel

from secondhop.errors import ModelError
from secondhop.models.account import Account
from secondhop.models.chat_transport import (
    AnswerMode,
    BrokenReplyError,
    ChatReply,
    ChatRequest,
    ChatTransport,
)
from secondhop.models.endpoint import REFUSALS, ChatLimits, Endpoint
from secondhop.models.json_replies import (
    UnreadableReplyError,
    read_reply,
    repair_turn,
    schema_request,
    with_request,
)
from secondhop.models.llm import AnswerBounds, ChatMessage, Completion, LLMError, sendable
from secondhop.models.prompt_size import PromptSize, learned_ratio, plausible_usage
from secondhop.models.retry_policy import TryTimedOutError, failure_of, retried

T = TypeVar("T", bound=BaseModel)

REQUESTS_PER_ANSWER = 8
"""Retries, other modes and the repair turn together."""
THOUGHTS = 4_000
"""Extra tokens for the reply of a model that thinks before it writes. Servers count thoughts as
part of the reply, and a plan of 300 tokens may take 2,000 tokens of thought. With more, the longest
prompt would not fit into a context of 16,384 tokens."""
_REFUSES_MODE = frozenset({400, 415, 422, 501})
_ABOUT_THE_REQUEST = frozenset({"context_length_exceeded", "content_filter", "model_not_found"})
"""Codes of a 400 that would fail in any mode."""


class _ModeRefusedError(ModelError):
    """The server cannot answer in this mode."""

    def __init__(self, message: str, *, times: int) -> None:
        super().__init__(message)
        self.times = times
        """How many refusals it counts as; REFUSALS of them rule the mode out."""


@dataclass(slots=True, kw_only=True)
class _Asking(Generic[T]):
    """One call: what is asked, and what the answer may cost."""

    messages: Sequence[ChatMessage]
    schema: type[T]
    max_tokens: int
    """Per reply."""
    account: Account


class StructuredChat:
    """A `StructuredLLM` over a transport that sends single requests."""

    def __init__(
        self,
        transport: ChatTransport,
        *,
        model_id: str,
        limits: ChatLimits,
        endpoint: Endpoint | None = None,
    ) -> None:
        """`endpoint`: what is known about the model's server; None: nothing yet."""
        self._transport, self.model_id, self._limits = transport, model_id, limits
        self._endpoint = endpoint or Endpoint(limits)

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: type[T], **bounds: Unpack[AnswerBounds]
    ) -> Completion[T]:
        """See `StructuredLLM`; on a new server, the first answer may cost a refused request or two.

        Raises:
            LLMError: no valid answer within these bounds; holds what was spent.
            asyncio.CancelledError: the caller was cancelled; see `Account.cancelled`.
        """
        deadline_s = bounds["deadline_s"]
        account = Account(
            deadline=asyncio.get_running_loop().time() + deadline_s,
            requests=min(REQUESTS_PER_ANSWER, bounds["max_calls"]),
            tokens=bounds.get("max_total_tokens"),
        )
        prompt = [sendable(message) for message in messages]
        asking = _Asking(
            messages=prompt, schema=schema, max_tokens=bounds["max_tokens"], account=account
        )
        try:
            if deadline_s <= 0:
                raise TimeoutError
            async with asyncio.timeout_at(account.deadline):
                parsed = await self._answer(asking)
        except TimeoutError as error:
            waited = max(0.0, round(deadline_s, 1) or deadline_s)
            raise LLMError(
                f"{self.model_id} gave no answer within {waited:g} s; allow a longer deadline, "
                f"or check the server",
                usage=account.closed(),
            ) from error
        except ModelError as error:
            raise LLMError(str(error), usage=account.closed()) from error
        except asyncio.CancelledError as error:
            raise account.cancelled() from error
        return Completion(parsed=parsed, usage=account.closed())

    async def _answer(self, asking: _Asking[T]) -> T:
        """An answer in the strictest mode that the server supports."""
        refused: dict[AnswerMode, int] = {}
        for mode in self._endpoint.usable(self._transport.modes):
            messages = asking.messages
            if mode != "json_schema":  # other modes do not show the model the schema
                messages = with_request(messages, schema_request(asking.schema))
            try:
                reply = await self._asked(messages, asking, mode=mode)
            except _ModeRefusedError as refusal:
                if not asking.account.requests_left:
                    raise ModelError(
                        f"{refusal}, and no request is left to try another way"
                    ) from None
                refused[mode] = refusal.times
                continue
            self._endpoint.answered(mode, refused=refused)
            if reply.cut_off and "{" not in reply.text and not self._endpoint.thinks:
                self._endpoint.thinks = True
                if asking.account.requests_left:
                    reply = await self._asked(messages, asking, mode=mode)
            return await self._read_or_repaired(reply, asking, mode=mode)
        raise AssertionError('unreachable: "text" is always tried, and never a refused mode')

    async def _read_or_repaired(
        self, reply: ChatReply, asking: _Asking[T], *, mode: AnswerMode
    ) -> T:
        """The answer in the reply, or in a second reply after the model is shown its mistake."""
        try:
            return read_reply(reply.text, asking.schema)
        except UnreadableReplyError as error:
            problem = "it was cut off; write less" if reply.cut_off else str(error)
            if not asking.account.requests_left:
                told = f"{self.model_id} gave nothing that fits {asking.schema.__name__}: {problem}"
                raise ModelError(f"{told}; no request is left to ask again") from error
        turns = repair_turn(
            asking.messages, reply=reply.text, problem=problem, schema=asking.schema
        )
        second = await self._asked(turns, asking, mode=mode)
        try:
            return read_reply(second.text, asking.schema)
        except UnreadableReplyError as error:
            raise ModelError(
                f"{self.model_id} answered twice, and neither fits {asking.schema.__name__}: "
                f"{error}; try a larger model, or a server that enforces a JSON schema"
            ) from error

    async def _asked(
        self, messages: Sequence[ChatMessage], asking: _Asking[T], *, mode: AnswerMode
    ) -> ChatReply:
        """A reply; temporary failures are retried."""
        account, limits = asking.account, self._limits
        reply = await retried(
            lambda: self._try(messages, asking, mode=mode),
            attempts=max(1, min(limits.attempts, account.requests_left)),
            longest_wait_s=lambda: max(0.0, min(limits.max_wait_s, account.left_s())),
            what=f"asking {self.model_id}",
            explain=self._transport.explain,
        )
        if reply.refused:
            raise ModelError(f"{self.model_id} declined to answer")
        return reply

    async def _try(
        self, messages: Sequence[ChatMessage], asking: _Asking[T], *, mode: AnswerMode
    ) -> ChatReply:
        """Send one request."""
        endpoint, account = self._endpoint, asking.account
        parts = [message["content"] for message in messages]
        if mode == "json_schema":
            parts.append(schema_request(asking.schema))  # roughly how the server shows the schema
        size = PromptSize(parts, ratio=endpoint.token_ratio)
        wanted = asking.max_tokens + (THOUGHTS if endpoint.thinks else 0)
        try:
            async with endpoint.request(
                account, name=self.model_id, prompt=size, wanted=wanted
            ) as reply_tokens:
                request = ChatRequest(
                    messages=messages, mode=mode, schema=asking.schema, max_tokens=reply_tokens
                )
                return await self._paid_reply(request, size, account)
        except Exception as error:
            if times := self._refusals(error, mode=mode):
                raise _ModeRefusedError(
                    f"{self.model_id} cannot answer by {mode}: {self._transport.explain(error)}",
                    times=times,
                ) from error
            raise

    async def _paid_reply(
        self, request: ChatRequest, size: PromptSize, account: Account
    ) -> ChatReply:
        """Send the request, within the time limit of one try, and charge the reply's cost."""
        try:
            async with asyncio.timeout(self._limits.timeout_s):
                reply = await self._transport.send(request)
        except TimeoutError as error:
            raise TryTimedOutError("no answer in time") from error
        except BrokenReplyError as error:
            if error.usage is not None:
                told = error.usage
                account.charge(plausible_usage(told, size, text="", allowed=request.max_tokens))
            raise
        usage = plausible_usage(reply.usage, size, text=reply.text, allowed=request.max_tokens)
        account.charge(usage)
        if reply.usage is not None:
            ratio = self._endpoint.token_ratio
            learned = learned_ratio(size, reported=usage.prompt_tokens, before=ratio)
            self._endpoint.token_ratio = learned
        return reply

    def _refusals(self, error: Exception, *, mode: AnswerMode) -> int:
        """How many refusals of the mode this error counts as; 0: it is about something else."""
        failure = failure_of(error)
        if mode == "text" or isinstance(error, ModelError) or failure.code in _ABOUT_THE_REQUEST:
            return 0
        if failure.status in _REFUSES_MODE:
            return REFUSALS
        # llama.cpp answers json_schema with HTTP 500, and a foreign class may raise anything; but
        # either may be a single failure, so it counts once
        unclear = failure.status == 500 or (failure.status is None and not failure.may_pass)
        return int(unclear and mode not in self._endpoint.proven)
