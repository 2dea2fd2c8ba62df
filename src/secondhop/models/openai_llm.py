"""Typed answers from OpenAI, or any server that speaks its chat-completions protocol."""

import importlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from secondhop.errors import ModelError, UsageError
from secondhop.models.answer_modes import mode_body
from secondhop.models.chat_transport import (
    MODES,
    AnswerMode,
    ChatReply,
    ChatRequest,
    RepeatAtOnceError,
)
from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.endpoint import Endpoint
from secondhop.models.llm import ChatMessage, Completion
from secondhop.models.openai_address import api_key_of, base_url_of, place_of
from secondhop.models.openai_client import OpenAIClients, OpenAIConnection
from secondhop.models.openai_failures import explain
from secondhop.models.openai_reply import read_chat_reply
from secondhop.models.prompt_size import ready_to_count
from secondhop.models.structured_chat import BYTES_PER_REPLY, ChatLimits, StructuredChat

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncAPIResponse
    from openai.types.chat import ChatCompletion

T = TypeVar("T", bound=BaseModel)


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


class OpenAILLM:
    """A chat model behind the OpenAI protocol: json_schema, or the next best the server can.

    Safe to use from several event loops. Close with `aclose()` on the loop that used it.
    """

    def __init__(self, config: OpenAILLMConfig) -> None:
        # here, not in the first answer: both take longer than a deadline may be
        importlib.import_module("openai.resources.chat.completions")
        ready_to_count()
        connection = config.connection
        base_url = base_url_of(connection.base_url)
        self._name = f"openai:{config.model}" + (f"@{place_of(base_url)}" if base_url else "")
        self._clients = OpenAIClients(connection)
        self._chat = StructuredChat(
            OpenAITransport(config, self._clients, name=self._name),
            _endpoint_of(config, base_url),
            name=self._name,
            limits=ChatLimits(
                timeout_s=connection.timeout_s,
                attempts=connection.attempts,
                max_wait_s=connection.max_wait_s,
                bytes_per_reply=config.bytes_per_reply,
                requests_per_answer=config.requests_per_answer,
            ),
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
        """As the port says.

        Raises:
            LLMError: no valid answer within these bounds; tells what was spent.
        """
        return await self._chat.complete(
            messages,
            schema=schema,
            max_tokens=max_tokens,
            deadline_s=deadline_s,
            max_calls=max_calls,
            max_total_tokens=max_total_tokens,
        )

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._clients.aclose()


class OpenAITransport:
    """Single chat-completions requests."""

    modes = MODES

    def __init__(self, config: OpenAILLMConfig, clients: OpenAIClients, *, name: str) -> None:
        self._config, self._clients, self._name = config, clients, name
        self._base_url = base_url_of(config.connection.base_url)

    def offers(self, mode: AnswerMode, schema: type[BaseModel]) -> bool:
        """Any mode."""
        return True

    def shape_text(self, mode: AnswerMode, schema: type[BaseModel]) -> str:
        """The mode's part of the body."""
        shape = mode_body(mode, schema)
        return json.dumps(shape, ensure_ascii=False) if shape else ""

    async def send(self, request: ChatRequest) -> ChatReply:
        """One request.

        Raises:
            ModelError: the reply is too long, or no client can be made.
            BrokenReplyError: what came is no chat completion.
            openai.OpenAIError: everything else.
        """
        from openai import APIStatusError

        token_field = self._token_field()
        try:
            async with self._clients.current().chat.completions.with_streaming_response.create(
                model=self._config.model,
                messages=[],  # they are in the body: here the SDK would look for files in each
                extra_body=self._body(request, token_field=token_field),
            ) as response:
                return read_chat_reply(await self._whole(response))
        except APIStatusError as error:
            if _about_token_field(error) and self._other_field_than(token_field):
                raise RepeatAtOnceError from error
            raise

    def explain(self, error: Exception) -> str:
        """What happened and what to do."""
        return explain(error, key=api_key_of(self._config.connection.api_key))

    def _token_field(self) -> str:
        """How the server wants the bound on generated tokens called."""
        # OpenAI's newer models refuse the old word, many local servers ignore the new one
        openai_itself = self._base_url is None or "api.openai.com" in self._base_url
        usual = "max_completion_tokens" if openai_itself else "max_tokens"
        return _learned_fields.get((self._base_url, self._config.model), usual)

    def _other_field_than(self, refused: str) -> bool:
        """Whether another field is left to try; what is learned lasts as long as the process."""
        other = "max_tokens" if refused == "max_completion_tokens" else "max_completion_tokens"
        return _learned_fields.setdefault((self._base_url, self._config.model), other) == other

    def _body(self, request: ChatRequest, *, token_field: str) -> dict[str, object]:
        """All but the model."""
        heat = self._config.temperature
        return {
            "messages": list(request.messages),
            **mode_body(request.mode, request.schema),
            **({} if heat is None else {"temperature": heat}),
            token_field: request.max_tokens,
        }

    async def _whole(self, response: "AsyncAPIResponse[ChatCompletion]") -> bytes:
        """The body, at most so many bytes."""
        from openai import APIConnectionError

        body = bytearray()
        try:
            async for chunk in response.iter_bytes():
                body += chunk
                if len(body) > self._config.bytes_per_reply:
                    break
        except Exception as error:  # the http library's own: which one depends on the SDK's version
            raise APIConnectionError(request=response.http_request) from error
        if len(body) > self._config.bytes_per_reply:
            bound = f"{self._config.bytes_per_reply:,}"
            raise ModelError(f"{self._name} sent a reply of more than {bound} bytes")
        return bytes(body)


_learned_fields: dict[tuple[str | None, str], str] = {}
"""The field for the bound on tokens, by server and model, where the usual one was refused."""
_endpoints: dict[tuple[str | None, str, BreakerSettings, int, float], Endpoint] = {}
_lock = threading.Lock()


def _endpoint_of(config: OpenAILLMConfig, base_url: str | None) -> Endpoint:
    """The process's one record of this model at this server; None is OpenAI itself."""
    timeout_s = config.connection.timeout_s
    key = (base_url, config.model, config.breaker, config.concurrency, timeout_s)
    with _lock:
        if key not in _endpoints:
            _endpoints[key] = Endpoint(
                modes=MODES,
                breaker=config.breaker,
                concurrency=config.concurrency,
                timeout_s=timeout_s,
            )
        return _endpoints[key]


def _about_token_field(error: "APIStatusError") -> bool:
    return error.status_code in (400, 422) and "max_completion_tokens" in str(error.message)
