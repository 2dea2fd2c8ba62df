"""One call of `complete`, as every adapter makes it: in time, on account, with one repair."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from secondhop.errors import ModelError
from secondhop.models.account import Account
from secondhop.models.json_replies import UnreadableReplyError, read_reply, repair_turn
from secondhop.models.llm import ChatMessage, Completion, LLMError

T = TypeVar("T", bound=BaseModel)

BYTES_PER_REPLY = 1_000_000
"""What an adapter reads of one reply, unless it is told otherwise."""


@dataclass(slots=True, kw_only=True)
class Asking(Generic[T]):
    """What is asked of whom, and what the answer may cost."""

    name: str
    """The model's id, for messages."""
    messages: Sequence[ChatMessage]
    schema: type[T]
    max_tokens: int
    """Of a reply."""
    account: Account


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a model wrote."""

    text: str
    cut_off: bool = False
    """It reached the bound on tokens."""


async def completed(
    asking: Asking[T], answer: Callable[[], Awaitable[T]], *, deadline_s: float
) -> Completion[T]:
    """What `answer` brings; whatever way it ends, what was spent is told.

    Raises:
        LLMError: it failed, or took longer than `deadline_s`.
        asyncio.CancelledError: the caller went away; holds the usage, as `Account.cancelled` says.
    """
    account = asking.account
    try:
        if deadline_s <= 0:
            raise TimeoutError
        async with asyncio.timeout_at(account.deadline):
            parsed = await answer()
    except TimeoutError as error:
        waited = max(0.0, round(deadline_s, 1) or deadline_s)
        raise LLMError(
            f"{asking.name} gave no answer within {waited:g} s; allow more time, or check "
            f"the server",
            usage=account.closed(),
        ) from error
    except ModelError as error:
        raise LLMError(str(error), usage=account.closed()) from error
    except asyncio.CancelledError as error:
        raise account.cancelled() from error
    return Completion(parsed=parsed, usage=account.closed())


async def read_or_repaired(
    written: Written,
    asking: Asking[T],
    ask: Callable[[Sequence[ChatMessage]], Awaitable[Written]],
) -> T:
    """The answer in what the model wrote, or in what it writes when it is shown its mistake.

    Args:
        ask: sends the repair turn, the same way as the turn before.

    Raises:
        ModelError: neither fits, or no request is left for the second.
    """
    try:
        return read_reply(written.text, asking.schema)
    except UnreadableReplyError as error:
        problem = "it was cut off; write less" if written.cut_off else str(error)
        if not asking.account.requests_left:
            told = f"{asking.name} gave nothing that fits {asking.schema.__name__}: {problem}"
            raise ModelError(f"{told}; no request is left to ask again") from error
    turns = repair_turn(asking.messages, reply=written.text, problem=problem, schema=asking.schema)
    second = await ask(turns)
    try:
        return read_reply(second.text, asking.schema)
    except UnreadableReplyError as error:
        raise ModelError(
            f"{asking.name} answered twice, and neither fits {asking.schema.__name__}: {error}; "
            f"try a larger model, or a server that enforces a JSON schema"
        ) from error
