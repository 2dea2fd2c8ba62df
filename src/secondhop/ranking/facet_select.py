"""Our selection: facets in proportion, repeated information punished, every loser with a reason.

gain'(d) = gain(d) · (1 - weight · coverage(d)), where gain is PM-2's or xQuAD's and coverage says
how much of d's evidence the picks before it already hold (joint, not pairwise: see `coverage`).
A candidate covered above `duplicate_at` is out while any other is left: no weight could argue a
fourth copy of the same research into the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from secondhop.ranking.arrays import Floats, Indices
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_pool import FacetPick, FacetPool
from secondhop.ranking.greedy import GainScheme, Repetition, Step, greedy_steps
from secondhop.ranking.pm2 import Pm2Gains
from secondhop.ranking.xquad import XQuadGains


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetSelectSettings:
    """How `facet_select` weighs facets against each other and against repetition."""

    scheme: Literal["pm2", "xquad"] = "pm2"
    lambda_: float = 0.5
    """As in `pm2_select` or `xquad_select`."""
    closing: float = 1.0
    """xQuAD only: how well a pick must serve a facet to close it, as in `XQuADGains`."""
    coverage_weight: float = 1.0
    """0..1: a fully covered candidate keeps 1 - this of its gain."""
    duplicate_at: float = 0.9
    """0..1: coverage above this excludes a candidate while any other is left."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a candidate was not picked."""

    index: int
    beaten_by: int
    """The pick that won the step at which this candidate came nearest to winning; for a
    near-duplicate the pick that it repeats."""
    nearness: float
    """0..1: its gain over the winner's gain at that step."""
    gain: float
    """Its gain at the last step, after the punishment."""
    coverage: float
    """0..1: how much of it all picks together say."""
    covered_by: int | None
    """The pick that says most of it; None when no pick says anything of it."""
    near_duplicate: bool
    """Covered above `duplicate_at`."""


@dataclass(frozen=True, slots=True)
class FacetSelection:
    """What was picked, in order, and why the others were not, by index."""

    picks: tuple[FacetPick, ...]
    rejections: tuple[Rejection, ...]


_DEFAULTS = FacetSelectSettings()


def facet_select(
    pool: FacetPool,
    *,
    k: int,
    coverage: Coverage | None = None,
    settings: FacetSelectSettings = _DEFAULTS,
    first: Sequence[int] = (),
) -> FacetSelection:
    """Pick at most `k` candidates and say of every other one what it lost to.

    Ties go to the higher overall relevance, then to the lower index.

    Args:
        first: candidates that are picked before all others, in this order; what they say and
            serve counts against those that follow.

    Raises:
        ValueError: a setting is outside its range, k < 1 with candidates to reject, or the
            coverage knows another number of candidates.

    Source: ours, over Dang & Croft 2012 and Santos et al. 2010.
    """
    if k < 1 and pool.size:
        raise ValueError(f"k must be at least 1, got {k}; without a pick nobody is beaten")
    repetition = Repetition(
        coverage=coverage, weight=settings.coverage_weight, duplicate_at=settings.duplicate_at
    )
    scheme = _scheme(pool, settings=settings)
    steps = list(greedy_steps(pool, scheme, k=k, repetition=repetition, first=first))
    picks = tuple(
        FacetPick(step.pick, step.facet if step.facet >= 0 else None, float(step.gains[step.pick]))
        for step in steps
    )
    return FacetSelection(picks, _rejections(steps, pool=pool, repetition=repetition))


def _scheme(pool: FacetPool, *, settings: FacetSelectSettings) -> GainScheme:
    if settings.scheme == "pm2":
        return Pm2Gains(pool, lambda_=settings.lambda_)
    return XQuadGains(pool, lambda_=settings.lambda_, closing=settings.closing)


def _rejections(
    steps: list[Step], *, pool: FacetPool, repetition: Repetition
) -> tuple[Rejection, ...]:
    if len(steps) == pool.size:
        return ()
    picks = np.array([step.pick for step in steps], dtype=np.intp)
    losers = np.setdiff1d(np.arange(pool.size), picks)
    nearness, beaten_by = _nearest_defeats(steps, size=pool.size)
    alone, together = _said_by(picks, size=pool.size, coverage=repetition.coverage)
    rejections: list[Rejection] = []
    for index in losers.tolist():
        teller = int(alone[index].argmax())
        repeats = bool(together[index] > repetition.duplicate_at)
        said = bool(alone[index, teller] > 0)
        rejections.append(
            Rejection(
                index=index,
                beaten_by=int(picks[teller]) if repeats else int(beaten_by[index]),
                nearness=float(nearness[index]),
                gain=float(steps[-1].gains[index]),
                coverage=float(together[index]),
                covered_by=int(picks[teller]) if said else None,
                near_duplicate=repeats,
            )
        )
    return tuple(rejections)


def _nearest_defeats(steps: list[Step], *, size: int) -> tuple[Floats, Indices]:
    """For each candidate its best gain / winner's gain over the steps, and that winner."""
    nearness = np.full(size, -1.0)
    beaten_by = np.full(size, -1, dtype=np.intp)
    for step in steps:
        winner = step.gains[step.pick]
        ratio = np.minimum(step.gains / winner, 1.0) if winner > 0 else np.zeros(size)
        nearer = ratio > nearness
        nearness = np.where(nearer, ratio, nearness)
        beaten_by = np.where(nearer, step.pick, beaten_by)
    return nearness, beaten_by


def _said_by(picks: Indices, *, size: int, coverage: Coverage | None) -> tuple[Floats, Floats]:
    """[n, n_picks] what each pick alone says of each candidate, and [n] what all say together."""
    if coverage is None or not len(picks):
        return np.zeros((size, max(len(picks), 1))), np.zeros(size)
    alone = [coverage.of_candidates(coverage.units[:, pick]) for pick in picks]
    together = coverage.of_candidates(coverage.units[:, picks].max(axis=1))
    return np.stack(alone, axis=1), together
