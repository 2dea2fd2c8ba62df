"""Any langchain-core chat model as a structured language model."""

import logging
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel

from secondhop.models.chat_transport import AnswerMode, ChatReply, ChatRequest
from secondhop.models.endpoint import ChatLimits, shared_endpoint
from secondhop.models.failure_messages import excerpt
from secondhop.models.json_replies import schema_request
from secondhop.models.langchain_model import (
    bounded,
    derived_id,
    in_mode,
    knows_methods,
    reported_usage,
    text_of,
    without_own_retries,
    without_secrets,
)
from secondhop.models.prompt_size import ready_to_count
from secondhop.models.retry_policy import failure_of, why_unanswered
from secondhop.models.structured_chat import StructuredChat

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

_log = logging.getLogger(__name__)

WAYS: tuple[AnswerMode, ...] = ("json_schema", "json_object", "text")
"""The model's own structured output, whatever it is made of; its JSON mode; plain text."""


LangchainLLMConfig = ChatLimits
"""How patient to be with a chat model."""


class LangchainLLM(StructuredChat):
    """Adapts a `BaseChatModel`: its structured output, else its JSON mode, else text; one repair.

    Retries, time limits, the circuit breaker and the cap on concurrency are ours, so that every
    request is counted; the model's own retries are switched off in a copy of it. A model that
    knows no asyncio works in a thread, which a cancelled caller leaves behind. `max_tokens` holds
    where the model has a field for it (max_tokens, num_predict, …).
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
        name, limits = model_id or derived_id(model), config or LangchainLLMConfig()
        self._given = model  # what is known of it lasts as long as it does
        super().__init__(
            LangchainTransport(model, name=name),
            model_id=name,
            limits=limits,
            endpoint=shared_endpoint((id(model), limits), WAYS, limits, owner=model),
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
        return ChatReply(text=text_of(raw), usage=reported_usage(raw))

    def explain(self, error: Exception) -> str:
        """What happened, in words without the model's keys."""
        if failure_of(error).lost:
            return f"no answer ({why_unanswered(error)}); check the server, or raise timeout_s"
        said = excerpt(str(error), lambda text: without_secrets(text, self._model))
        return f"{type(error).__name__}: {said}"
