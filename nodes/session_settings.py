"""Every number of a session that a caller may change, with its default, in one place."""

from dataclasses import asdict, dataclass
from math import isfinite


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
    lease_s: float = 3.0
    """Seconds after which another worker takes over from one that no longer shows life."""

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            if not isfinite(limit):
                raise ValueError(f"SessionSettings.{name} must be a finite number, not {limit}")
        for name in ("k", "max_rounds", "branch_memories"):
            if getattr(self, name) < 1:
                raise ValueError(f"SessionSettings.{name} must be at least 1")
        if not 0 <= self.later_min_score <= 1:
            raise ValueError("SessionSettings.later_min_score must lie in 0..1")
        if self.branches < 0:
            raise ValueError("SessionSettings.branches must be at least 0")
        for name in ("ttl_s", "lease_s"):
            if not getattr(self, name) > 0:
                raise ValueError(f"SessionSettings.{name} must be above 0 seconds")
