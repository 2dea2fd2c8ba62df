"""Any langchain-core chat model as a structured language model."""

import logging
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import BaseModel

from secondhop.errors import UsageError
from secondhop.models.chat_transport import AnswerMode, ChatReply, ChatRequest
from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.endpoint import Endpoint
from secondhop.models.failure_messages import told
from secondhop.models.json_replies import schema_request
from secondhop.models.langchain_model import (
    bounded,
    derived_id,
    in_mode,
    knows_methods,
    text_of,
    told_usage,
    without_own_retries,
    without_secrets,
)
from secondhop.models.llm import ChatMessage, Completion
from secondhop.models.prompt_size import ready_to_count
from secondhop.models.retry_policy import failure_of, why_unanswered
from secondhop.models.structured_chat import BYTES_PER_REPLY, ChatLimits, StructuredChat

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

T = TypeVar("T", bound=BaseModel)

_log = logging.getLogger(__name__)

WAYS: tuple[AnswerMode, ...] = ("json_schema", "json_object", "text")
"""The model's own structured output, whatever it is made of; its JSON mode; plain text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LangchainLLMConfig:
    """How patient to be with a chat model."""

    timeout_s: float = 30.0
    """Of one try; the model's own limit, if it has one, may be shorter."""
    attempts: int = 4
    """Tries in all, for failures that may pass: 408, 409, 429, 5xx, timeouts, lost connections."""
    max_wait_s: float = 20.0
    """Longest wait between two tries; a server that asks for more is not waited for."""
    concurrency: int = 256
    """Requests at once on an event loop; a server's own limit shows itself as 429."""
    breaker: BreakerSettings = field(default_factory=BreakerSettings)
    bytes_per_reply: int = BYTES_PER_REPLY
    """Of what the model wrote; a longer reply is not read."""

    def __post_init__(self) -> None:
        counts = self.attempts, self.concurrency, self.bytes_per_reply
        if min(counts) < 1 or self.timeout_s <= 0 or self.max_wait_s < 0:
            raise UsageError(
                "LangchainLLMConfig needs attempts, concurrency and bytes_per_reply >= 1, "
                "timeout_s > 0, max_wait_s >= 0"
            )


class LangchainLLM:
    """Adapts a `BaseChatModel`: its structured output, else its JSON mode, else text; one repair.

    Retries, time limits, the circuit breaker and the cap on concurrency are ours, so that every
    request is counted; the model's own retries are switched off in a copy of it. A model that
    knows no asyncio works in a thread, which a cancelled caller leaves behind.
    """

    def __init__(
        self,
        model: "BaseChatModel",
        *,
        model_id: str | None = None,
        config: LangchainLLMConfig | None = None,
    ) -> None:
        """Without `model_id` it is "langchain:<class>:<model>", from the object's model attribute.

        Raises:
            UsageError: no `model_id`, and the object does not tell its model.
        """
        ready_to_count()
        self._model_id = model_id or derived_id(model)
        config = config or LangchainLLMConfig()
        self._given = model  # what is known of it lasts as long as it does
        self._chat = StructuredChat(
            LangchainTransport(model, name=self._model_id),
            _endpoint_of(model, config),
            name=self._model_id,
            limits=ChatLimits(
                timeout_s=config.timeout_s,
                attempts=config.attempts,
                max_wait_s=config.max_wait_s,
                bytes_per_reply=config.bytes_per_reply,
            ),
        )

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
        return await self._chat.complete(
            messages,
            schema=schema,
            max_tokens=max_tokens,
            deadline_s=deadline_s,
            max_calls=max_calls,
            max_total_tokens=max_total_tokens,
        )


class LangchainTransport:
    """Single requests to a chat model; a reply is read by our rules, not by langchain's parser."""

    modes = WAYS

    def __init__(self, model: "BaseChatModel", *, name: str) -> None:
        self._model, self._name = without_own_retries(model, name=name), name

    def offers(self, mode: AnswerMode, schema: type[BaseModel]) -> bool:
        """Whether the model has this mode; whether it answers in it is for a request to show."""
        if mode == "text":
            return True
        if mode == "json_object" and not knows_methods(self._model):
            return False
        try:
            in_mode(self._model, mode, schema)
        except Exception:  # a foreign class refuses as it likes; asking for text always remains
            _log.debug("%s cannot answer by %s", self._name, mode, exc_info=True)
            return False
        return True

    def shape_text(self, mode: AnswerMode, schema: type[BaseModel]) -> str:
        """About what a model reads of its own structured output."""
        return schema_request(schema) if mode == "json_schema" else ""

    async def send(self, request: ChatRequest) -> ChatReply:
        """One request."""
        model = bounded(self._model, request.max_tokens)
        pairs = [(message["role"], message["content"]) for message in request.messages]
        if request.mode == "text":
            raw = await model.ainvoke(pairs)
        else:
            answer = await in_mode(model, request.mode, request.schema).ainvoke(pairs)
            raw = cast("AIMessage", cast("dict[str, object]", answer)["raw"])
        return ChatReply(text=text_of(raw), usage=told_usage(raw))

    def explain(self, error: Exception) -> str:
        """What happened, in words without the model's keys."""
        if failure_of(error).lost:
            return f"no answer ({why_unanswered(error)}); check the server, or raise timeout_s"
        said = told(str(error), lambda text: without_secrets(text, self._model))
        return f"{type(error).__name__}: {said}"


_endpoints: dict[tuple[int, LangchainLLMConfig], Endpoint] = {}
_lock = threading.Lock()


def _endpoint_of(model: "BaseChatModel", config: LangchainLLMConfig) -> Endpoint:
    """The process's one record of this object; it goes when the object goes."""
    key = (id(model), config)
    with _lock:
        if key not in _endpoints:
            _endpoints[key] = Endpoint(
                modes=WAYS,
                breaker=config.breaker,
                concurrency=config.concurrency,
                timeout_s=config.timeout_s,
            )
            weakref.finalize(model, _endpoints.pop, key, None).atexit = False
        return _endpoints[key]
