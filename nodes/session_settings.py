"""Every number of a session that a caller may change, with its default, in one place."""

from dataclasses import asdict, dataclass
from math import inf

from secondhop.errors import UsageError
from secondhop.nodes.settings import check_count

TTL_LIMIT_S = 31_536_000.0
"""A year; clocks and the calendar end before what may be written as a number does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How long a recall stays open, and what a round of it shows."""

    k: int = 5
    """Memories a round shows beside those that were voted for."""
    max_rounds: int = 4
    """Answers a session gives; the votes on the last one count when it is resolved."""
    ttl_s: float = 300.0
    """Seconds without a vote after which a session expires."""
    critic: bool = True
    """Whether the critic votes, too; its vote never outranks a person's or an agent's."""
    later_min_score: float = 0.25
    """Calibrated relevance, 0..1, from which on a memory may be shown after the first answer, where
    it is below `RankingSettings.min_score`: who asks for more judges for himself."""
    branches: int = 3
    """Sparks that a session follows."""
    branch_memories: int = 3
    """Memories that a branch shows a round, beside those that were voted for."""

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            if not -inf < limit < inf:
                raise ValueError(f"SessionSettings.{name} must be a finite number, not {limit}")
        for name, least in (("k", 1), ("max_rounds", 1), ("branch_memories", 1), ("branches", 0)):
            check_count(f"SessionSettings.{name}", getattr(self, name), least=least)
        if not 0 <= self.later_min_score <= 1:
            raise ValueError("SessionSettings.later_min_score must lie in 0..1")
        if not 0 < self.ttl_s <= TTL_LIMIT_S:
            raise ValueError(
                f"SessionSettings.ttl_s must be above 0 seconds, and at most "
                f"{TTL_LIMIT_S:,.0f} (a year)"
            )


def checked_ttl(ttl_s: float) -> float:
    """Seconds that a session may stay open.

    Raises:
        UsageError: none, more than a year, or no number (nan).
    """
    if not 0 < ttl_s <= TTL_LIMIT_S:
        raise UsageError(
            f"ttl_s must be above 0 seconds, and at most {TTL_LIMIT_S:,.0f} (a year), not {ttl_s}"
        )
    return ttl_s
