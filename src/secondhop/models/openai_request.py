"""One chat request over the wire: gated, bounded in time and size, watched by the breaker."""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

from secondhop.errors import ModelError
from secondhop.models.account import Account, estimated_tokens
from secondhop.models.chat_reply import BrokenReplyError, ChatReply, read_chat_reply
from secondhop.models.circuit_breaker import CircuitBreaker
from secondhop.models.llm import ChatMessage, Usage
from secondhop.models.openai_endpoint import TokenWord
from secondhop.models.openai_failures import kind_of_failure

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncAPIResponse, AsyncOpenAI
    from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

_FAIR_WAIT_S = 1.0
"""A caller that gave the server less time than this has not shown that it is dead."""
_GATEWAY_STATUS = frozenset({502, 503, 504})
"""A proxy's words for a server that is not there."""
_GATEWAY_TIMEOUT = 504
"""The server behind the proxy may have worked, and may charge for it."""


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
        """All but model and messages."""
        return {**self.shape, **self.settings, self.token_word: reply_tokens}

    def prompt_tokens(self) -> int:
        """What the model reads, by estimate."""
        shape = json.dumps(self.shape, ensure_ascii=False) if self.shape else ""
        return estimated_tokens(shape) + sum(
            estimated_tokens(message["content"]) for message in self.messages
        )


class ChatSender:
    """Sends chat requests to one endpoint, so many at once on an event loop."""

    def __init__(
        self,
        breaker: CircuitBreaker,
        *,
        name: str,
        timeout_s: float,
        concurrency: int,
        bytes_per_reply: int,
    ) -> None:
        self._breaker, self._name = breaker, name
        self._timeout_s, self._concurrency = timeout_s, concurrency
        self._bytes = bytes_per_reply
        self._gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
        self._gates = WeakKeyDictionary()
        self._lock = threading.Lock()

    async def send(
        self, request: ChatRequest, *, client: "AsyncOpenAI", account: Account
    ) -> ChatReply:
        """One try.

        Raises:
            ModelError: the circuit is open, no request or too few tokens are left, the reply is too
                long, or the server wants a longer wait than there is time.
            openai.OpenAIError: everything else; a broken reply is an APIConnectionError.
        """
        async with self._gate():
            if not self._breaker.admit():
                cause = self._breaker.last_cause()
                raise ModelError(
                    f"{self._name} did not answer before{f' ({cause})' if cause else ''}; it is "
                    f"left alone for {self._breaker.rests_s():.0f} s more; check the server"
                )
            settle = self._settler(account)
            try:
                return await self._exchange(request, client=client, account=account, settle=settle)
            finally:
                settle(None, "")

    async def _exchange(
        self,
        request: ChatRequest,
        *,
        client: "AsyncOpenAI",
        account: Account,
        settle: Callable[[bool | None, str], None],
    ) -> ChatReply:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        reply_tokens = account.open_request(
            prompt=request.prompt_tokens(), wanted=request.max_tokens
        )
        try:
            async with client.chat.completions.with_streaming_response.create(
                model=request.model,
                messages=cast("list[ChatCompletionMessageParam]", list(request.messages)),
                extra_body=request.body(reply_tokens=reply_tokens),
                timeout=max(0.001, min(self._timeout_s, account.left_s())),
            ) as response:
                body = await self._whole(response, account=account)
                settle(True, "")
                return _read(body, request=request, response=response, account=account)
        except APIStatusError as error:
            settle(error.status_code not in _GATEWAY_STATUS, f"HTTP {error.status_code}")
            if error.status_code != _GATEWAY_TIMEOUT:
                account.charge(Usage())
            _expect_short_wait(error, name=self._name, left_s=account.left_s())
            raise
        except (APIConnectionError, asyncio.CancelledError) as error:
            ours = isinstance(error, asyncio.CancelledError) and account.left_s() > 0
            gone = isinstance(error, (asyncio.CancelledError, APITimeoutError))
            why = "no answer in time" if gone else kind_of_failure(error)
            settle(None if ours else False, why)
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

    def _settler(self, account: Account) -> Callable[[bool | None, str], None]:
        """Tells the breaker once how the try ended: answered, not answered, or None: unknown.

        The second word is why there was no answer.
        """
        loop = asyncio.get_running_loop()
        started, fair_s = loop.time(), min(_FAIR_WAIT_S, self._timeout_s)
        settled = False

        def settle(answered: bool | None, cause: str) -> None:
            nonlocal settled
            if settled:
                return
            settled = True
            waited_s = loop.time() - started
            cut_short = account.left_s() <= 0.01 and waited_s < fair_s
            if answered:
                self._breaker.succeeded()
            elif answered is None or cut_short:
                self._breaker.abandoned()
            else:
                self._breaker.failed(cost_s=waited_s, cause=cause)

        return settle

    def _gate(self) -> asyncio.Semaphore:
        with self._lock:
            loop = asyncio.get_running_loop()
            if loop not in self._gates:
                self._gates[loop] = asyncio.Semaphore(self._concurrency)
            return self._gates[loop]


def _read(
    body: bytes,
    *,
    request: ChatRequest,
    response: "AsyncAPIResponse[ChatCompletion]",
    account: Account,
) -> ChatReply:
    from openai import APIConnectionError

    try:
        reply = read_chat_reply(body)
    except BrokenReplyError as error:
        if error.usage is not None:
            account.charge(error.usage)
        raise APIConnectionError(message=str(error), request=response.http_request) from error
    account.charge(
        reply.usage
        or Usage(
            prompt_tokens=request.prompt_tokens(), completion_tokens=estimated_tokens(reply.text)
        )
    )
    return reply


def _expect_short_wait(error: "APIStatusError", *, name: str, left_s: float) -> None:
    """Fails at once when the server wants a longer wait than there is time: no use in waiting."""
    try:
        asked_s = float(error.response.headers.get("retry-after", "0"))
    except ValueError:
        return  # a date; the deadline bounds it
    if asked_s > left_s and (error.status_code == 429 or error.status_code >= 500):
        raise ModelError(
            f"{name} answered HTTP {error.status_code} and asks to wait {asked_s:g} s, with "
            f"{max(0.0, left_s):.1f} s left; slow down, or raise the quota"
        ) from error
