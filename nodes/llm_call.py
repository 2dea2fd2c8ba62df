"""One call to a language model within what a recall may still spend."""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from secondhop.models.llm import LLMError, StructuredLLM
from secondhop.nodes.budget import Remaining, Usage
from secondhop.prompts.templates import RenderedPrompt

T = TypeVar("T", bound=BaseModel)

LEAST_REPLY = 200
"""Tokens; with less left for the reply a call is not worth its prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """What is asked, and how much the answer may cost."""

    prompt: RenderedPrompt
    reply_tokens: int
    seconds: float


async def asked_model(llm: StructuredLLM, call: ModelCall, *, schema: type[T]) -> tuple[T, Usage]:
    """The model's answer, and what it cost.

    Raises:
        LLMError: no valid answer.
    """
    completion = await llm.complete(
        [
            {"role": "system", "content": call.prompt.system},
            {"role": "user", "content": call.prompt.user},
        ],
        schema=schema,
        max_tokens=call.reply_tokens,
        deadline_s=call.seconds,
    )
    usage = completion.usage
    spent = Usage(
        llm_calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )
    return completion.parsed, spent


def affordable_reply(left: Remaining, *, prompt: int, wanted: int) -> int:
    """Tokens that a reply may have, at most `wanted`.

    Raises:
        LLMError: no call is left, or no tokens for a reply worth asking for.
    """
    room = left.llm_tokens - prompt
    if left.llm_calls < 1 or room < LEAST_REPLY:
        raise LLMError(
            f"{left.llm_calls} model calls and {left.llm_tokens:,} tokens are left, the prompt "
            f"alone takes {prompt:,}; raise RecallLimits.llm_calls or llm_tokens"
        )
    return min(wanted, room)
