"""Shares slots between facets by their weights, and avoids repetition.

gain(d) = (1 - λ) · rel(d) + λ · Σ over facets i of share_i · rel(d, i) · left_i
rel(d) = Σ over facets i of share_i · rel(d, i)
left_i = Π over picked p of (1 - rel(p, i)^CLOSING): the part of facet i that is still open.

This is xQuAD (Santos, Macdonald & Ounis, WWW 2010, doi:10.1145/1772690.1772780) with two changes.
In xQuAD, `CLOSING` is 1. With a higher value, only picks that serve a facet well close it, so
candidates that serve every facet a little do not keep out the one that serves a facet best.
Also, the gain is multiplied by the share of the candidate's evidence that the earlier picks
together do not hold (see `coverage`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage

LAMBDA = 0.9
"""λ: 0 = relevance only, 1 = facets only."""

CLOSING = 3.0

_TIE = 1e-9
"""Gains within this relative distance are ties, because sums over facets differ in last bits."""


@dataclass(frozen=True, slots=True)
class FacetPick:
    """One picked candidate."""

    index: int
    """Row in the pool."""
    facet: int | None
    """The facet it was mainly picked for; None if it serves no open facet and only fills a slot."""
    gain: float
    """Its gain when it was picked, after the penalty for repetition."""


def facet_select(
    facet_relevance: Floats,
    weights: Floats,
    *,
    k: int,
    coverage: Coverage,
    duplicate_at: float,
    first: Sequence[int] = (),
) -> list[FacetPick]:
    """At most `k` picks, in the order picked; a larger k only appends picks.

    Ties go to the higher overall relevance, then to the lower index. The share of a facet that no
    candidate serves goes to the other facets.

    Args:
        facet_relevance: [n_candidates, n_facets], 0..1, calibrated so that facets can be compared.
        weights: [n_facets], >= 0: how much of a good answer each facet is. Only their ratios
            matter.
        duplicate_at: a candidate covered above this is not picked while any other is left, so that
            no weight can bring near-copies into the answer.
        first: candidates to pick before all others, in this order; what they say and serve counts
            against those that follow.
    """
    weighted = facet_relevance * shares_of(facet_relevance, weights)
    overall = weighted.sum(axis=1)
    left = np.ones(facet_relevance.shape[1])
    remaining = np.ones(len(facet_relevance), dtype=np.bool_)
    said = np.zeros(len(coverage.owner))
    covered = np.zeros(len(facet_relevance))
    picks: list[FacetPick] = []
    for turn in range(min(k, len(facet_relevance))):
        terms = weighted * left
        gains = ((1 - LAMBDA) * overall + LAMBDA * np.add.reduce(terms, axis=1)) * (1 - covered)
        fresh = remaining & (covered <= duplicate_at)
        visible = np.where(fresh if fresh.any() else remaining, gains, -np.inf)
        if turn < len(first):
            pick = first[turn]
        else:
            tied = visible >= visible.max() - _TIE * visible.max()
            pick = int(np.argmax(np.where(tied, overall, -np.inf)))
        facet = int(terms[pick].argmax()) if terms[pick].any() else None
        picks.append(FacetPick(pick, facet, float(gains[pick])))
        remaining[pick] = False
        left = left * (1 - facet_relevance[pick] ** CLOSING)
        said = np.maximum(said, coverage.units[:, pick])
        covered = coverage.of_candidates(said)
    return picks


def shares_of(facet_relevance: Floats, weights: Floats) -> Floats:
    """[n_facets]: the weights scaled to sum 1; 0 for a facet that no candidate serves.

    All zeros if no facet with a weight is served.
    """
    served = facet_relevance.max(axis=0, initial=0.0) > 0
    open_weights = np.where(served, weights, 0.0)
    total = open_weights.sum()
    return np.asarray(open_weights / total if total > 0 else open_weights, dtype=np.float64)
