"""What a recall has spent, and what is left."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from secondhop.nodes.settings import RecallLimits
from secondhop.nodes.state import RecallState


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one step asked of language models."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def counts(self) -> dict[str, float]:
        """As the state's `spent` keeps it."""
        return {
            "llm_calls": self.llm_calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """What a step may still spend."""

    rounds: int
    llm_calls: int
    llm_tokens: int
    seconds: float

    @property
    def affords_model(self) -> bool:
        """Whether one more call to a language model may be made."""
        return self.llm_calls > 0 and self.llm_tokens > 0


def tokens_spent(spent: Mapping[str, float]) -> int:
    """Prompt and completion tokens together."""
    return int(spent.get("prompt_tokens", 0) + spent.get("completion_tokens", 0))


def remaining(state: RecallState, limits: RecallLimits) -> Remaining:
    """What is left of the limits at this point of the recall; nothing is below 0."""
    spent = state.get("spent", {})
    return Remaining(
        rounds=max(0, limits.rounds - state.get("round", 0)),
        llm_calls=max(0, limits.llm_calls - int(spent.get("llm_calls", 0))),
        llm_tokens=max(0, limits.llm_tokens - tokens_spent(spent)),
        seconds=max(0.0, state["deadline_at"] - time.time()),
    )


def half(left: Remaining, *, larger: bool) -> Remaining:
    """What one of two steps that run side by side may spend; an odd call goes to the larger half.

    >>> left = Remaining(rounds=4, llm_calls=3, llm_tokens=100, seconds=9.0)
    >>> half(left, larger=True).llm_calls, half(left, larger=False).llm_calls
    (2, 1)
    """
    odd = 1 if larger else 0
    return replace(
        left, llm_calls=(left.llm_calls + odd) // 2, llm_tokens=(left.llm_tokens + odd) // 2
    )
