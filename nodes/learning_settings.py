"""Every number of learning that a caller may change, with its default, in one place."""

from dataclasses import asdict, dataclass
from math import isfinite


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningSettings:
    """How much resolved sessions may change later recalls in the same context, and for how long."""

    weight: float = 0.3
    """The most that learning may add to a memory's relevance, as a share of it; it takes half as
    much at most. 0: nothing that was learned is used."""
    prior: float = 1.0
    """Votes that are set against those that were cast: one session counts for little, several of
    one mind for nearly all."""
    half_life_days: float = 90.0
    """Days after which what was learned counts half."""
    proposals: int = 6
    """Memories that helped together in the context and are looked at whatever the search finds;
    0: none."""
    hooks: int = 2
    """Promoted hooks that open a facet of their own; 0: none."""
    hook_weight: float = 0.5
    """Weight of such a facet; the question itself has `RankingSettings.direct_weight`."""
    promote_after: int = 3
    """Resolved sessions in which a spark has led to an accepted memory, until it is a hook."""
    retire_after: int = 2
    """Sessions on end that show what a hook leads to, and do not want it, until it retires."""
    contexts: int = 200
    """Contexts an entity may have; of more, the faintest go."""
    memories: int = 200
    """Memories a context may know; of more, the faintest go."""

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            if not isfinite(limit):
                raise ValueError(f"LearningSettings.{name} must be a finite number, not {limit}")
        if not 0 <= self.weight < 1:
            raise ValueError("LearningSettings.weight must lie in 0..1, below 1")
        for name in ("prior", "half_life_days", "hook_weight"):
            if not getattr(self, name) > 0:
                raise ValueError(f"LearningSettings.{name} must be above 0")
        for name in ("proposals", "hooks"):
            if getattr(self, name) < 0:
                raise ValueError(f"LearningSettings.{name} must be at least 0")
        for name in ("promote_after", "retire_after", "contexts", "memories"):
            if getattr(self, name) < 1:
                raise ValueError(f"LearningSettings.{name} must be at least 1")
