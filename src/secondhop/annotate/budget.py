"""What an annotation run may spend; a request that might exceed it is not sent."""

from dataclasses import dataclass, field, replace

from secondhop.errors import UsageError
from secondhop.models.llm import Usage
from secondhop.models.prices import TokenPrice

COUNTED_OTHERWISE = 1.25
"""A server may count up to this many times the prompt tokens that we count."""

TRIES = 4
"""Without a bound, an answer may cost this many times its prompt and reply."""


@dataclass(slots=True, kw_only=True)
class RunBudget:
    """The bounds of a run, what it has spent, and what is reserved for requests under way."""

    max_tokens: int | None = None
    max_usd: float | None = None
    price: TokenPrice | None = None
    spent: Usage = field(default_factory=Usage)
    _held_tokens: int = 0
    _held_usd: float = 0.0

    def __post_init__(self) -> None:
        if (self.max_tokens is not None and self.max_tokens < 1) or (
            self.max_usd is not None and self.max_usd <= 0
        ):
            raise UsageError("a limit on tokens or dollars must be more than 0")
        if self.max_usd is not None and self.price is None:
            raise UsageError(
                "the price of this model is unknown, so a limit in dollars cannot be kept; give "
                "max_tokens (--max-tokens), or a price (SECONDHOP_PRICES, docs/cli.md)"
            )

    def hold(self, *, prompt: int, reply: int) -> "Held | None":
        """Reserve the most that a request may cost; None if too little is left."""
        most = Usage(prompt_tokens=round(prompt * COUNTED_OTHERWISE), completion_tokens=reply)
        usd = self.price.cost_usd(most) if self.price is not None else 0.0
        bounded = self.max_tokens is not None or self.max_usd is not None
        allowed = most.tokens if bounded else TRIES * most.tokens
        held = Held(tokens=most.tokens, usd=usd, allowed=allowed)
        used = self.spent.charged_tokens + self._held_tokens
        if self.max_tokens is not None and used + held.tokens > self.max_tokens:
            return None
        if self.max_usd is not None and self._usd() + self._held_usd + usd > self.max_usd:
            return None
        self._held_tokens += held.tokens
        self._held_usd += usd
        return held

    def settle(self, held: "Held", usage: Usage) -> None:
        """Release what was reserved, and count what was spent."""
        self._held_tokens -= held.tokens
        self._held_usd -= held.usd
        self.spent += usage

    def bound_text(self) -> str:
        """The bound in words, for messages: "20,000 tokens" or "$5"."""
        if self.max_tokens is not None:
            return f"{self.max_tokens:,} tokens"
        return f"${self.max_usd:g}"

    def _usd(self) -> float:
        """Dollars spent, including the most that lost replies may have cost."""
        if self.price is None:
            return 0.0
        lost = Usage(completion_tokens=self.spent.lost_tokens)
        return self.price.cost_usd(replace(self.spent, lost_tokens=0)) + self.price.cost_usd(lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What is reserved for one request."""

    tokens: int
    usd: float
    allowed: int
    """How many tokens the answer may cost, retries included."""
