"""One chat request over the wire: gated, bounded in time, size and cost."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from secondhop.errors import ModelError
from secondhop.models.account import Account
from secondhop.models.chat_reply import BrokenReplyError, ChatReply, read_chat_reply
from secondhop.models.failed_try import failed_try, why_unanswered
from secondhop.models.llm import ChatMessage, Usage
from secondhop.models.openai_endpoint import Endpoint, TokenWord
from secondhop.models.prompt_size import PromptSize, counted_tokens
from secondhop.models.request_gate import RequestGate, Settle

if TYPE_CHECKING:
    from openai import AsyncAPIResponse, AsyncOpenAI
    from openai.types.chat import ChatCompletion


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is asked: the messages, and everything else in the body."""

    model: str
    messages: Sequence[ChatMessage]
    shape: Mapping[str, object]
    """How the answer is wanted; the model reads it too."""
    settings: Mapping[str, object]
    max_tokens: int
    """Of the reply, at most; fewer where the account has no more."""
    token_word: TokenWord

    def body(self, *, reply_tokens: int) -> dict[str, object]:
        """All but the model."""
        messages = list(self.messages)
        return {"messages": messages, **self.shape, **self.settings, self.token_word: reply_tokens}

    def parts(self) -> list[str]:
        """What the model reads: the messages and the shape."""
        shape = [json.dumps(self.shape, ensure_ascii=False)] if self.shape else []
        return [*(message["content"] for message in self.messages), *shape]


class ChatSender:
    """Sends chat requests to one endpoint, so many at once on an event loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str,
        timeout_s: float,
        concurrency: int,
        bytes_per_reply: int,
    ) -> None:
        self._name, self._timeout_s, self._bytes = name, timeout_s, bytes_per_reply
        self._meter = endpoint.meter
        self._gate = RequestGate(
            endpoint.breaker, name=name, concurrency=concurrency, timeout_s=timeout_s
        )

    async def send(
        self, request: ChatRequest, *, client: "AsyncOpenAI", account: Account
    ) -> ChatReply:
        """One try.

        Raises:
            ModelError: the circuit is open, no request or too few tokens are left, or the reply is
                too long.
            openai.OpenAIError: everything else; a broken reply is an APIConnectionError.
        """
        size = self._meter.size(request.parts())
        async with self._gate.entered(account) as settle:
            response, body = await self._exchange(
                request, size, client=client, account=account, settle=settle
            )
            return self._read(body, size=size, response=response, account=account)

    async def _exchange(
        self,
        request: ChatRequest,
        size: PromptSize,
        *,
        client: "AsyncOpenAI",
        account: Account,
        settle: Settle,
    ) -> "tuple[AsyncAPIResponse[ChatCompletion], bytes]":
        """The response and its whole body; the circuit breaker hears what came of it."""
        from openai import APIConnectionError, APIStatusError

        reply_tokens = account.open_request(prompt=size, wanted=request.max_tokens)
        try:
            async with client.chat.completions.with_streaming_response.create(
                model=request.model,
                messages=[],  # they are in the body: here the SDK would look for files in each
                extra_body=request.body(reply_tokens=reply_tokens),
                timeout=max(0.001, min(self._timeout_s, account.left_s())),
            ) as response:
                body = await self._whole(response, account=account)
                settle(True, "")
                return response, body
        except (APIStatusError, APIConnectionError) as error:
            failed = failed_try(error)
            settle(failed.answered, why_unanswered(error))
            if failed.was_free:
                account.charge(Usage())
            raise
        except asyncio.CancelledError:
            settle(None if account.left_s() > 0 else False, "no answer in time")
            raise

    async def _whole(
        self, response: "AsyncAPIResponse[ChatCompletion]", *, account: Account
    ) -> bytes:
        """The body, at most so many bytes, in the time that a try has."""
        from openai import APIConnectionError, APITimeoutError

        body = bytearray()
        try:
            async with asyncio.timeout(min(self._timeout_s, account.left_s())):
                async for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > self._bytes:
                        break
        except TimeoutError as error:
            raise APITimeoutError(request=response.http_request) from error
        except Exception as error:  # the http library's own: which one depends on the SDK's version
            raise APIConnectionError(request=response.http_request) from error
        if len(body) > self._bytes:
            raise ModelError(f"{self._name} sent a reply of more than {self._bytes:,} bytes")
        return bytes(body)

    def _read(
        self,
        body: bytes,
        *,
        size: PromptSize,
        response: "AsyncAPIResponse[ChatCompletion]",
        account: Account,
    ) -> ChatReply:
        """The reply, paid for as the server tells; by length where it does not."""
        from openai import APIConnectionError

        try:
            reply = read_chat_reply(body)
        except BrokenReplyError as error:
            if error.usage is not None:
                account.charge(error.usage)
            raise APIConnectionError(message=str(error), request=response.http_request) from error
        if reply.usage is None:
            written = counted_tokens(reply.text)
            account.charge(Usage(prompt_tokens=size.tokens, completion_tokens=written))
        else:
            account.charge(reply.usage)
            self._meter.learn(size, told=reply.usage.prompt_tokens)
        return reply
