"""Typed answers from OpenAI, or any server that speaks its chat-completions protocol."""

import importlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import BaseModel

from secondhop.errors import ModelError, UsageError
from secondhop.models.answer_modes import mode_body
from secondhop.models.chat_transport import (
    BYTES_PER_REPLY,
    MODES,
    TOO_LONG,
    AnswerMode,
    ChatReply,
    ChatRequest,
    RepeatAtOnceError,
)
from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.endpoint import ChatLimits, shared_endpoint
from secondhop.models.openai_client import (
    OpenAIClients,
    OpenAIConnection,
    api_key_of,
    base_url_of,
    explain,
    place_of,
)
from secondhop.models.openai_reply import read_chat_reply
from secondhop.models.prompt_size import ready_to_count
from secondhop.models.structured_chat import StructuredChat

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncAPIResponse
    from openai.types.chat import ChatCompletion


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAILLMConfig:
    """Which model, and how far to go for one answer."""

    model: str
    connection: OpenAIConnection = field(default_factory=OpenAIConnection)
    temperature: float | None = None
    """None: the server's default; some models refuse any other."""
    concurrency: int = 256
    """Requests at once on an event loop; a server's own limit shows itself as 429."""
    breaker: BreakerSettings = field(default_factory=BreakerSettings)

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("an OpenAI model needs a name, e.g. openai:gpt-4.1-mini")
        self.limits()

    def limits(self) -> ChatLimits:
        """The bounds of an answer.

        Raises:
            UsageError: one of them cannot be.
        """
        return ChatLimits(
            timeout_s=self.connection.timeout_s,
            attempts=self.connection.attempts,
            max_wait_s=self.connection.max_wait_s,
            concurrency=self.concurrency,
            breaker=self.breaker,
        )


class OpenAILLM(StructuredChat):
    """A chat model behind the OpenAI protocol: json_schema, or the next best the server can.

    Safe to use from several event loops. Close with `aclose()` on the loop that used it.
    """

    def __init__(self, config: OpenAILLMConfig) -> None:
        """Its id is "openai:<model>", with "@<host and path>" where it is not OpenAI's server."""
        # here, not in the first answer: both take longer than a deadline may be
        importlib.import_module("openai.resources.chat.completions")
        ready_to_count()
        base_url = base_url_of(config.connection.base_url)
        name = f"openai:{config.model}" + (f"@{place_of(base_url)}" if base_url else "")
        limits = config.limits()
        self._clients = OpenAIClients(config.connection)
        super().__init__(
            OpenAITransport(config, self._clients, name=name),
            model_id=name,
            limits=limits,
            endpoint=shared_endpoint(
                (base_url, config.model, config.breaker, config.concurrency), MODES, limits
            ),
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
                if len(body) > BYTES_PER_REPLY:
                    break
        except Exception as error:  # the http library's own: which one depends on the SDK's version
            raise APIConnectionError(request=response.http_request) from error
        if len(body) > BYTES_PER_REPLY:
            raise ModelError(f"{self._name} {TOO_LONG}")
        return bytes(body)


_learned_fields: dict[tuple[str | None, str], str] = {}
"""The field for the bound on tokens, by server and model, where the usual one was refused."""


def _about_token_field(error: "APIStatusError") -> bool:
    return error.status_code in (400, 422) and "max_completion_tokens" in str(error.message)
