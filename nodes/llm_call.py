"""Asks a language model once, within what a recall may still spend."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from secondhop.models.llm import (
    LEAST_REPLY,
    ChatMessage,
    KeepsAnswers,
    LLMError,
    StructuredLLM,
    Usage,
)
from secondhop.nodes.budget import Remaining
from secondhop.prompts.quoting import Tags
from secondhop.prompts.templates import RenderedPrompt
from secondhop.telemetry import model_span

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")

MODEL_SHARE = 0.9
"""Share of a step's time that its model may take. A call cancelled at the end of the step never
reports what it used, and the code after it needs a moment too."""


LEAST_SECONDS = 0.1
"""No model is asked with less time: none would answer, and an abandoned request costs the same."""


def tags_for(llm: StructuredLLM) -> Tags:
    """Tags for stored text: unguessable, or fixed if the model caches answers by prompt."""
    return Tags(llm.tag_secret if isinstance(llm, KeepsAnswers) else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """What is asked, and how much the answer may cost."""

    prompt: RenderedPrompt
    reply_tokens: int
    left: Remaining
    """For the whole answer, including retries, other ways of asking, and repairs."""


class Refused(Exception):
    """Why an answer that fits the schema cannot be used, to follow the model's id in a sentence."""


async def asked_model(
    llm: StructuredLLM, call: ModelCall, *, schema: type[T], read: Callable[[T], R]
) -> tuple[R, Usage]:
    """What `read` makes of the model's answer, and what it cost. Raises LLMError, which holds the
    usage, if there was no valid answer within what is left, or `read` raised Refused.

    Refused answers are removed from the cache.
    """
    seconds = call.left.seconds * MODEL_SHARE
    if seconds < LEAST_SECONDS:
        raise LLMError(f"{seconds:.2f} s are left, too little to ask a model; allow more time")
    messages: list[ChatMessage] = [
        {"role": "system", "content": call.prompt.system},
        {"role": "user", "content": call.prompt.user},
    ]
    with model_span(llm.model_id, messages, max_tokens=call.reply_tokens) as span:
        completion = await llm.complete(
            messages,
            schema=schema,
            max_tokens=call.reply_tokens,
            deadline_s=seconds,
            max_calls=call.left.llm_calls,
            max_total_tokens=call.left.llm_tokens,
        )
        span.used(completion.usage)
        if span.takes_texts:
            span.note({"output.value": completion.parsed.model_dump_json()})
    try:
        return read(completion.parsed), completion.usage
    except Refused as why:
        if isinstance(llm, KeepsAnswers):
            await llm.forget(messages, schema=schema)
        raise LLMError(f"{llm.model_id} {why}", usage=completion.usage) from None


def affordable_reply(left: Remaining, *, prompt: int, wanted: int) -> int:
    """Tokens that a reply may have, at most `wanted`. Raises LLMError if no call is left, or fewer
    tokens than `LEAST_REPLY`."""
    room = left.llm_tokens - prompt
    if left.llm_calls < 1 or room < LEAST_REPLY:
        raise LLMError(
            f"{left.llm_calls} model calls and {left.llm_tokens:,} tokens are left, and the "
            f"prompt alone takes {prompt:,}; raise RecallLimits.llm_calls or llm_tokens"
        )
    return min(wanted, room)
