"""Any LangChain chat model as a structured language model."""

import json
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, SecretStr, ValidationError

from secondhop.errors import UsageError
from secondhop.models.chat_transport import AnswerMode, ChatReply, ChatRequest
from secondhop.models.endpoint import ChatLimits, shared_endpoint
from secondhop.models.failure_messages import excerpt, without_key
from secondhop.models.llm import Usage
from secondhop.models.prompt_size import ready_to_count
from secondhop.models.retry_policy import failure_of, why_unanswered
from secondhop.models.structured_chat import StructuredChat

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import Runnable
    from openai import LengthFinishReasonError

_log = logging.getLogger(__name__)

_MODEL_ATTRIBUTES = ("model", "model_name", "model_id", "deployment_name", "deployment", "repo_id")
_CUT_OFF = frozenset({"length", "max_tokens"})
"""Finish reasons that models give for a reply that reached its bound."""
_BOUND_ATTRIBUTES = ("max_tokens", "max_output_tokens", "num_predict", "max_tokens_to_sample")
_KEY_IN_ADDRESS = re.compile(r"([?&](?:key|api[-_]?key|token)=)[^&\s]+|(?<=//)[^/\s@]+(?=@)", re.I)

LangchainLLMConfig = ChatLimits
"""Timeouts, retries and concurrency for a chat model."""


class LangchainLLM(StructuredChat):
    """Adapts a `BaseChatModel`: its structured output, else text with the schema; one repair.

    Retries, time limits, the circuit breaker and the cap on concurrency are ours, so that every
    request is counted; a copy of the model has its own retries switched off. A model without
    asyncio support works in a thread, which goes on if the caller is cancelled. `max_tokens`
    applies if the model has a field for it (max_tokens, num_predict, …).
    """

    def __init__(
        self,
        model: "BaseChatModel",
        *,
        model_id: str | None = None,
        config: LangchainLLMConfig | None = None,
    ) -> None:
        """The default `model_id` is "langchain:<class>:<model>", from the object's attributes.

        Raises:
            UsageError: `model_id` is missing, and the object does not say which model it is.
        """
        ready_to_count()
        name = model_id or derived_id(model, adapter=type(self))
        limits = config or LangchainLLMConfig()
        self._given = model  # the shared endpoint lives as long as this object
        super().__init__(
            LangchainTransport(model, name=name),
            model_id=name,
            limits=limits,
            endpoint=shared_endpoint((id(model), limits), limits, owner=model),
        )


class LangchainTransport:
    """Single requests to a chat model; we read the replies, instead of LangChain's parser."""

    def __init__(self, model: "BaseChatModel", *, name: str) -> None:
        self._model = without_own_retries(model, name=name)
        shaped = has_structured_output(self._model)
        self.modes: tuple[AnswerMode, ...] = ("json_schema", "text") if shaped else ("text",)

    async def send(self, request: ChatRequest) -> ChatReply:
        """See `ChatTransport`."""
        model = bounded(self._model, request.max_tokens)
        pairs = [(message["role"], message["content"]) for message in request.messages]
        if request.mode == "text":
            raw = await model.ainvoke(pairs)
        else:
            try:
                answer = await structured(model, request.schema).ainvoke(pairs)
            except Exception as error:  # a foreign class may raise anything
                if (reply := unparsed_reply(error)) is None:
                    raise
                return reply
            raw = cast("AIMessage", cast("dict[str, object]", answer)["raw"])
        ended = raw.response_metadata.get("finish_reason", raw.response_metadata.get("stop_reason"))
        return ChatReply(
            text=text_of(raw),
            usage=reported_usage(raw),
            refused=bool(raw.additional_kwargs.get("refusal")),
            cut_off=str(ended).lower() in _CUT_OFF,
        )

    def explain(self, error: Exception) -> str:
        """What happened, without the model's keys."""
        if failure_of(error).lost:
            return f"no answer ({why_unanswered(error)}); check the server, or raise timeout_s"
        said = excerpt(str(error), lambda text: without_secrets(text, self._model))
        return f"{type(error).__name__}: {said}"


def derived_id(model: object, *, adapter: type) -> str:
    """The id "langchain:<class>:<model>" of a chat model or embeddings. Raises UsageError if the
    object does not say which model it is; the message says how the adapter is told."""
    for attribute in _MODEL_ATTRIBUTES:
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return f"langchain:{type(model).__name__}:{name}"
    raise UsageError(
        f"{type(model).__name__} does not say which model it is (it has no attribute `model`); "
        f"pass {adapter.__name__}(…, model_id='NAME') of {adapter.__module__} in its place, so "
        f"that its answers or vectors are not mixed up with another model's"
    )


def bounded(model: "BaseChatModel", max_tokens: int) -> "BaseChatModel":
    """The model, limited to `max_tokens` generated tokens if it has a field for that."""
    for name in _BOUND_ATTRIBUTES:
        if name in type(model).model_fields:
            own: object = getattr(model, name)
            bound = min(own, max_tokens) if isinstance(own, int) and own > 0 else max_tokens
            return model.model_copy(update={name: bound})
    return model


def without_own_retries(model: "BaseChatModel", *, name: str) -> "BaseChatModel":
    """A copy that sends each request once, because our limits cannot see a model's own retries.

    SDK clients that the model has already made are replaced by ones without retries. A client of
    another kind may keep its retries; then a warning says so.
    """
    if "max_retries" not in type(model).model_fields or getattr(model, "max_retries", 0) == 0:
        return model
    clients = dict(_quiet_clients(model))
    if not clients and any("client" in name and held for name, held in _held(model)):
        _log.warning(
            "%s may repeat failed requests by itself, which no limit on calls can see; "
            "build it with max_retries=0",
            name,
        )
    return model.model_copy(update={"max_retries": 0, **clients})


def _quiet_clients(model: "BaseChatModel") -> Iterator[tuple[str, object]]:
    """(field, its value without retries) of SDK clients like those of OpenAI, Anthropic and Groq.

    A field holds a client or one of its resources ("client.chat.completions").
    """
    for field, held in vars(model).items():
        if _can_be_quiet(held):
            yield field, held.with_options(max_retries=0)
            continue
        owner: Any = getattr(held, "_client", None)
        if _can_be_quiet(owner):
            yield field, type(held)(owner.with_options(max_retries=0))


def _held(model: "BaseChatModel") -> list[tuple[str, Any]]:
    """(name, value) of public and private attributes."""
    return [*vars(model).items(), *(model.__pydantic_private__ or {}).items()]


def _can_be_quiet(client: Any) -> bool:
    return callable(getattr(client, "with_options", None)) and isinstance(
        getattr(client, "max_retries", None), int
    )


class _AnyAnswer(BaseModel):
    text: str


def has_structured_output(model: "BaseChatModel") -> bool:
    """Whether a chat model offers structured output; only a request shows whether it works."""
    try:
        structured(model, _AnyAnswer)
    except Exception:  # a foreign class may raise anything; we can still ask for text
        _log.debug("%s has no structured output", type(model).__name__, exc_info=True)
        return False
    return True


def structured(model: "BaseChatModel", schema: type[BaseModel]) -> "Runnable[Any, Any]":
    """The model with its own structured output; it returns {"raw": …}.

    LangChain's parser is removed if possible: we do not use its result, and on a long reply that
    is not JSON it takes quadratic time.
    """
    from langchain_core.runnables import RunnableParallel, RunnableSequence

    chain: Runnable[Any, Any] = model.with_structured_output(schema, include_raw=True)
    if isinstance(chain, RunnableSequence) and isinstance(chain.first, RunnableParallel):
        return chain.first
    return chain


def reported_usage(raw: "AIMessage") -> Usage | None:
    """Tokens as the model reports them; None if it does not."""
    reported = raw.usage_metadata
    if reported is None:
        return None
    details = reported.get("input_token_details") or {}
    return Usage(
        prompt_tokens=reported["input_tokens"],
        completion_tokens=reported["output_tokens"],
        cached_tokens=details.get("cache_read") or 0,
    )


def unparsed_reply(error: Exception) -> ChatReply | None:
    """The reply inside an error of OpenAI's SDK, which parses replies for langchain-openai.

    So the reply is read, repaired and charged like any other. None for other errors.
    """
    if isinstance(error, ValidationError):
        (first, *_) = error.errors(include_url=False)
        return ChatReply(
            text=str(first["input"]) if first["type"] == "json_invalid" else "", usage=None
        )
    if type(error).__name__ == "ContentFilterFinishReasonError":
        return ChatReply(text="", usage=None, refused=True)
    if type(error).__name__ != "LengthFinishReasonError":
        return None
    completion = cast("LengthFinishReasonError", error).completion
    spent = completion.usage
    return ChatReply(
        text=completion.choices[0].message.content or "",
        usage=Usage(prompt_tokens=spent.prompt_tokens, completion_tokens=spent.completion_tokens)
        if spent
        else None,
        cut_off=True,
    )


def text_of(raw: "AIMessage") -> str:
    """Arguments of the first tool call as JSON, even if invalid; else the text."""
    if raw.tool_calls:
        return json.dumps(raw.tool_calls[0]["args"], default=str)
    if raw.invalid_tool_calls:
        return raw.invalid_tool_calls[0]["args"] or ""
    return str(raw.text)


def without_secrets(text: str, model: object) -> str:
    """The text, with "…" for the model's keys and for keys and passwords in addresses."""
    for held in getattr(model, "__dict__", {}).values():
        if isinstance(held, SecretStr):
            text = without_key(text, key=held.get_secret_value())
    return _KEY_IN_ADDRESS.sub(lambda found: f"{found[1] or ''}…", text)
