"""What the adapter needs to know of a langchain chat model, whose classes have little in common."""

import inspect
import json
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SecretStr

from secondhop.errors import UsageError
from secondhop.models.chat_transport import AnswerMode
from secondhop.models.failure_messages import without_key
from secondhop.models.llm import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import Runnable

_log = logging.getLogger(__name__)

_MODEL_ATTRIBUTES = ("model", "model_name", "model_id", "deployment_name", "deployment", "repo_id")
_BOUND_ATTRIBUTES = ("max_tokens", "max_output_tokens", "num_predict", "max_tokens_to_sample")
_KEY_IN_ADDRESS = re.compile(r"([?&](?:key|api[-_]?key|token)=)[^&\s]+|(?<=//)[^/\s@]+(?=@)", re.I)


def derived_id(model: object) -> str:
    """ "langchain:<class>:<model>" of a chat model or embeddings.

    Raises:
        UsageError: the object does not tell its model.
    """
    for attribute in _MODEL_ATTRIBUTES:
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return f"langchain:{type(model).__name__}:{name}"
    raise UsageError(
        f"{type(model).__name__} does not tell which model it is; pass model_id, so that another "
        f"model's answers or vectors are not taken for its own"
    )


def bounded(model: "BaseChatModel", max_tokens: int) -> "BaseChatModel":
    """The model with at most so many generated tokens, where it has a field for that."""
    for name in _BOUND_ATTRIBUTES:
        if name in type(model).model_fields:
            own: object = getattr(model, name)
            bound = min(own, max_tokens) if isinstance(own, int) and own > 0 else max_tokens
            return model.model_copy(update={name: bound})
    return model


def without_own_retries(model: "BaseChatModel", *, name: str) -> "BaseChatModel":
    """A copy that sends each request once: repeats inside a chat model are seen by no limit.

    SDK clients that it has made already are replaced by ones without retries. Where it holds a
    client of another kind, that may have kept the number, and a warning says so.
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
    """(field, the same without retries) of clients as OpenAI, Anthropic, Groq … generate them.

    A field holds a client, or one of its resources ("client.chat.completions").
    """
    for field, held in vars(model).items():
        if _can_be_quiet(held):
            yield field, held.with_options(max_retries=0)
            continue
        owner: Any = getattr(held, "_client", None)
        if _can_be_quiet(owner):
            yield field, type(held)(owner.with_options(max_retries=0))


def _held(model: "BaseChatModel") -> list[tuple[str, Any]]:
    """(name, what it holds) of public and private attributes."""
    return [*vars(model).items(), *(model.__pydantic_private__ or {}).items()]


def _can_be_quiet(client: Any) -> bool:
    return callable(getattr(client, "with_options", None)) and isinstance(
        getattr(client, "max_retries", None), int
    )


def knows_methods(model: "BaseChatModel") -> bool:
    """Whether its structured output comes by several methods; others pass the word over."""
    return "method" in inspect.signature(model.with_structured_output).parameters


def in_mode(
    model: "BaseChatModel", mode: AnswerMode, schema: type[BaseModel]
) -> "Runnable[Any, Any]":
    """The model, made to answer by its own structured output, or in its JSON mode, as {"raw": …}.

    Without its parser, where that can be taken off: what it finds is not read, and on a long reply
    that is no JSON its time grows with the square of the length.
    """
    from langchain_core.runnables import RunnableParallel, RunnableSequence

    method = {"method": "json_mode"} if mode == "json_object" else {}
    chain: Runnable[Any, Any] = model.with_structured_output(schema, include_raw=True, **method)
    if isinstance(chain, RunnableSequence) and isinstance(chain.first, RunnableParallel):
        return chain.first
    return chain


def reported_usage(raw: "AIMessage") -> Usage | None:
    """Tokens as the model reports them; None when it does not."""
    reported = raw.usage_metadata
    if reported is None:
        return None
    return Usage(
        prompt_tokens=reported["input_tokens"],
        completion_tokens=reported["output_tokens"],
        cached_tokens=reported.get("input_token_details", {}).get("cache_read", 0),
    )


def text_of(raw: "AIMessage") -> str:
    """Arguments of the first tool call, sound or not, as JSON; else the text."""
    if raw.tool_calls:
        return json.dumps(raw.tool_calls[0]["args"], default=str)
    if raw.invalid_tool_calls:
        return raw.invalid_tool_calls[0]["args"] or ""
    return str(raw.text)


def without_secrets(text: str, model: object) -> str:
    """The text with "…" for the model's keys, and for what stands in an address like one."""
    for held in getattr(model, "__dict__", {}).values():
        if isinstance(held, SecretStr):
            text = without_key(text, key=held.get_secret_value())
    return _KEY_IN_ADDRESS.sub(lambda found: f"{found[1] or ''}…", text)
