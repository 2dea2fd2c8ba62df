"""The numbers of learning that a caller may change, with their defaults."""

from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningSettings:
    """How much resolved sessions may change later recalls in the same context, and for how long."""

    weight: float = 0.3
    """The most that learning may add to a memory's relevance, as a share of it; it takes half as
    much at most. 0: nothing that was learned is used."""
    half_life_days: float = 90.0
    """Days after which what was learned counts half."""

    def __post_init__(self) -> None:
        if not 0 <= self.weight < 1:
            raise ValueError("LearningSettings.weight must lie in 0..1, below 1")
        if not (self.half_life_days > 0 and isfinite(self.half_life_days)):
            raise ValueError("LearningSettings.half_life_days must be above 0, and finite")
