"""What a recall has spent, and what is left."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from secondhop.models.llm import LLMError, Usage
from secondhop.models.prices import TokenPrice, cost_of
from secondhop.nodes.config import RecallLimits
from secondhop.nodes.state import RecallState

T = TypeVar("T")

COUNTED = ("queries", "llm_calls", "prompt_tokens", "completion_tokens", "cached_tokens")
"""Keys of a state's `spent` that a result shows."""

SHARE_BESIDE = 0.25
"""Share of the time left that a step beside the searches may take: preferences and names of facts
are worthless without time to search."""


def counts_of(usage: Usage) -> dict[str, float]:
    """The usage in the form of the state's `spent`; `lost_tokens` only if there are any."""
    lost = {"lost_tokens": usage.lost_tokens} if usage.lost_tokens else {}
    return {
        "llm_calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        **lost,
    }


def usage_in(spent: Mapping[str, float]) -> Usage:
    """The usage of language models in a state's `spent`.

    >>> usage_in({"queries": 7, "llm_calls": 2, "prompt_tokens": 900}).calls
    2
    """
    return Usage(
        calls=int(spent.get("llm_calls", 0)),
        prompt_tokens=int(spent.get("prompt_tokens", 0)),
        completion_tokens=int(spent.get("completion_tokens", 0)),
        cached_tokens=int(spent.get("cached_tokens", 0)),
        lost_tokens=int(spent.get("lost_tokens", 0)),
    )


def usage_of_failure(error: Exception) -> Usage:
    """What a model used before it failed; nothing if the error does not say.

    A TimeoutError of `asyncio.timeout` has the cancellation as its cause, whose argument may be the
    usage (`Account.cancelled`).
    """
    if isinstance(error, LLMError):
        return error.usage
    told = error.__cause__.args if isinstance(error.__cause__, asyncio.CancelledError) else ()
    return told[0] if told and isinstance(told[0], Usage) else Usage()


def spent_fields(state: RecallState, price: TokenPrice | None) -> dict[str, float | None]:
    """What a recall has cost, in the form of `Spent`, without the wall time."""
    spent = state.get("spent", {})
    counted = {name: int(spent.get(name, 0)) for name in COUNTED}
    cost = cost_of(usage_in(spent), price)
    return {"rounds": state.get("round", 0), **counted, "cost_usd": cost}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """What a step may still spend."""

    rounds: int
    llm_calls: int
    llm_tokens: int
    seconds: float
    queries: int = field(default_factory=lambda: RecallLimits().queries)
    """Per round."""

    @property
    def affords_model(self) -> bool:
        """Whether one more call to a language model may be made."""
        return self.llm_calls > 0 and self.llm_tokens > 0

    def after(self, usage: Usage, *, seconds: float = 0.0) -> "Remaining":
        """What is left after this usage and these seconds; never below 0."""
        return replace(
            self,
            llm_calls=max(0, self.llm_calls - usage.calls),
            llm_tokens=max(0, self.llm_tokens - usage.charged_tokens),
            seconds=max(0.0, self.seconds - seconds),
        )


def remaining(state: RecallState, limits: RecallLimits) -> Remaining:
    """What is left of the limits at this point of the recall; never below 0."""
    whole = Remaining(
        rounds=max(0, limits.rounds - state.get("round", 0)),
        llm_calls=limits.llm_calls,
        llm_tokens=limits.llm_tokens,
        seconds=seconds_left(state),
        queries=limits.queries,
    )
    return whole.after(usage_in(state.get("spent", {})))


def seconds_left(state: RecallState) -> float:
    """Seconds until the deadline; 0.0 if it has passed."""
    return max(0.0, state["deadline_at"] - time.time())


def time_beside(state: RecallState) -> float:
    """Seconds that a step beside the searches may take."""
    return SHARE_BESIDE * seconds_left(state)


def half(left: Remaining, *, larger: bool) -> Remaining:
    """What one of two parallel steps may spend; an odd call or token goes to the larger half.

    >>> left = Remaining(rounds=4, llm_calls=3, llm_tokens=100, seconds=9.0)
    >>> half(left, larger=True).llm_calls, half(left, larger=False).llm_calls
    (2, 1)
    """
    odd = 1 if larger else 0
    return replace(
        left, llm_calls=(left.llm_calls + odd) // 2, llm_tokens=(left.llm_tokens + odd) // 2
    )


async def in_time(
    work: Awaitable[T], *, limit_s: float, otherwise: Callable[[], Awaitable[T]]
) -> T:
    """What the work gives; past the limit it is cancelled, and `otherwise` is asked instead."""
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            return await work
    except TimeoutError:
        if not limit.expired():  # the timeout is another one, of a store
            raise
    return await otherwise()
