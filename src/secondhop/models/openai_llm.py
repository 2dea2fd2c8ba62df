"""Typed answers from OpenAI, or any server that speaks its chat-completions protocol."""

import importlib
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import BaseModel

from secondhop.errors import UsageError
from secondhop.models.chat_transport import (
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

_TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")
"""Names of the bound on generated tokens: the old one, and OpenAI's new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAILLMConfig:
    """A model, where it runs, and its limits."""

    model: str
    connection: OpenAIConnection = field(default_factory=OpenAIConnection)
    temperature: float | None = None
    """None: the server's default; some models refuse any other value."""
    concurrency: int = 256
    """Concurrent requests per event loop; a server's own limit shows up as 429."""
    breaker: BreakerSettings = field(default_factory=BreakerSettings)

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("an OpenAI model needs a name, e.g. openai:gpt-4.1-mini")
        self.limits()

    def limits(self) -> ChatLimits:
        """The limits for an answer. Raises UsageError if a limit is invalid."""
        return ChatLimits(
            timeout_s=self.connection.timeout_s,
            attempts=self.connection.attempts,
            max_wait_s=self.connection.max_wait_s,
            concurrency=self.concurrency,
            breaker=self.breaker,
        )


class OpenAILLM(StructuredChat):
    """A chat model behind the OpenAI protocol; uses json_schema or the next best supported mode.

    Safe to use from several event loops. Close with `aclose()` on the loop that used it.
    """

    def __init__(self, config: OpenAILLMConfig) -> None:
        """The model id is "openai:<model>", plus "@<host and path>" if an address was given."""
        # now, not in the first answer, because both can take longer than a deadline
        importlib.import_module("openai.resources.chat.completions")
        ready_to_count()
        base_url = base_url_of(config.connection.base_url)
        name = f"openai:{config.model}" + (f"@{place_of(base_url)}" if base_url else "")
        limits = config.limits()
        self._clients = OpenAIClients(config.connection)
        super().__init__(
            OpenAITransport(config, self._clients),
            model_id=name,
            limits=limits,
            endpoint=shared_endpoint(
                (base_url, config.model, config.breaker, config.concurrency), limits
            ),
        )

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._clients.aclose()


class OpenAITransport:
    """Single chat-completions requests."""

    modes: tuple[AnswerMode, ...] = ("json_schema", "json_object", "text")

    def __init__(self, config: OpenAILLMConfig, clients: OpenAIClients) -> None:
        self._config, self._clients = config, clients
        # OpenAI's newer models refuse the old name; many local servers ignore the new one
        server = base_url_of(config.connection.base_url)
        own = server is None or "api.openai.com" in server
        self._usual_field, self._other_field = _TOKEN_FIELDS[::-1] if own else _TOKEN_FIELDS
        self._token_field = self._usual_field

    async def send(self, request: ChatRequest) -> ChatReply:
        """See `ChatTransport`. Raises RepeatAtOnceError if the server wants the other name for
        the bound on tokens."""
        from openai import APIStatusError

        token_field = self._token_field
        try:
            response = await self._clients.current().chat.completions.with_raw_response.create(
                model=self._config.model,
                messages=[],  # they are in extra_body, so the SDK need not search them for files
                extra_body=self._body(request, token_field=token_field),
            )
        except APIStatusError as error:
            told = error.status_code in (400, 422) and "max_completion_tokens" in str(error.message)
            if told and token_field == self._usual_field:
                self._token_field = self._other_field
                raise RepeatAtOnceError from error
            raise
        return read_chat_reply(response.http_response.content)

    def explain(self, error: Exception) -> str:
        """What happened and what to do."""
        return explain(error, key=api_key_of(self._config.connection.api_key))

    def _body(self, request: ChatRequest, *, token_field: str) -> dict[str, object]:
        """The body of the request, except the model."""
        heat = self._config.temperature
        return {
            "messages": list(request.messages),
            **response_format(request.mode, request.schema),
            **({} if heat is None else {"temperature": heat}),
            token_field: request.max_tokens,
        }


def response_format(mode: AnswerMode, schema: type[BaseModel]) -> dict[str, object]:
    """The part of a request in this mode that describes the shape of the answer."""
    if mode == "text":
        return {}
    shape = strict_shape(schema)
    if mode == "json_object":  # llama.cpp reads "schema"
        return {"response_format": {"type": "json_object", "schema": shape}}
    described = {"name": schema.__name__, "schema": shape, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": described}}


@lru_cache(maxsize=64)
def strict_shape(schema: type[BaseModel]) -> dict[str, object]:
    """The JSON schema for OpenAI's strict mode, with every field required.

    Strict mode allows no defaults, so those of `schema` must be factories, as in `lenient_fields`.
    """
    from openai import pydantic_function_tool

    return pydantic_function_tool(schema)["function"].get("parameters", {})
