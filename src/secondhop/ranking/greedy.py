"""The greedy loop under every facet selection: the best gain, less what was said already."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, Mask, first_best
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_pool import FacetPool

_TIE = 1e-9
"""Gains this near (relatively) are ties; sums over facets differ in the last bits only."""


class GainScheme(Protocol):
    """A diversification method: what each candidate would add now."""

    def gains(self, eligible: Mask) -> tuple[Floats, Indices]:
        """[n] gain of every candidate, >= 0, and [n] the facet it mainly serves (-1: none)."""
        ...

    def take(self, pick: int) -> None:
        """Count `pick` as selected."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """How repetition is punished."""

    coverage: Coverage | None = None
    """None: repetition is free."""
    weight: float = 1.0
    """0..1: a fully covered candidate keeps 1 - weight of its gain."""
    duplicate_at: float = 1.0
    """Coverage above this excludes a candidate while any other is left. 1 excludes none."""

    def __post_init__(self) -> None:
        if not (0 <= self.weight <= 1 and 0 <= self.duplicate_at <= 1):
            raise ValueError(
                f"weight and duplicate_at must lie in 0..1, got {self.weight}, {self.duplicate_at}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One turn of the loop, as it stood before the pick was counted."""

    pick: int
    facet: int
    """-1: it serves none."""
    gains: Floats
    """[n], after the punishment."""
    covered: Floats
    """[n], 0..1: coverage by the picks before this one."""
    remaining: Mask
    """[n]: not picked before this step."""


def greedy_steps(
    pool: FacetPool,
    scheme: GainScheme,
    *,
    k: int,
    repetition: Repetition,
    first: Sequence[int] = (),
) -> Iterator[Step]:
    """At most `k` steps; the first k of k + 1 steps are the same.

    Ties go to the higher overall relevance, then to the lower index.

    Args:
        first: candidates that are picked before all others, in this order, whatever they gain.

    Raises:
        ValueError: k is negative, or the coverage knows another number of candidates.
    """
    if k < 0:
        raise ValueError(f"k must not be negative, got {k}")
    coverage = repetition.coverage
    if coverage is not None and coverage.size != pool.size:
        raise ValueError(f"{pool.size} candidates, but coverage knows {coverage.size}")
    overall = pool.overall()
    remaining = np.ones(pool.size, dtype=np.bool_)
    units = None if coverage is None else np.zeros(len(coverage.owner))
    covered = np.zeros(pool.size)
    for turn in range(min(k, pool.size)):
        fresh = remaining & (covered <= repetition.duplicate_at)
        eligible = fresh if fresh.any() else remaining
        raw, facets = scheme.gains(eligible)
        gains = raw * (1 - repetition.weight * covered)
        visible = np.where(eligible, gains, -np.inf)
        if turn < len(first):
            pick = first[turn]
        else:
            pick = first_best(visible, relevance=overall, slack=_TIE * float(visible.max()))
        yield Step(pick, int(facets[pick]), gains, covered, remaining.copy())
        remaining[pick] = False
        scheme.take(pick)
        if coverage is not None and units is not None:
            units = np.maximum(units, coverage.units[:, pick])
            covered = coverage.of_candidates(units)
