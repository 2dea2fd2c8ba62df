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

import numpy as np

from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_pool import FacetPick, FacetPool

LAMBDA = 0.9
"""λ: 0 = relevance only, 1 = facets only."""

CLOSING = 3.0

_TIE = 1e-9
"""Gains within this relative distance are ties, because sums over facets differ in last bits."""


def facet_select(
    pool: FacetPool,
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
        duplicate_at: a candidate covered above this is not picked while any other is left, so that
            no weight can bring near-copies into the answer.
        first: candidates to pick before all others, in this order; what they say and serve counts
            against those that follow.
    """
    weighted = pool.facet_relevance * pool.shares()
    overall = weighted.sum(axis=1)
    left = np.ones(pool.facet_relevance.shape[1])
    remaining = np.ones(pool.size, dtype=np.bool_)
    said = np.zeros(len(coverage.owner))
    covered = np.zeros(pool.size)
    picks: list[FacetPick] = []
    for turn in range(min(k, pool.size)):
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
        left = left * (1 - pool.facet_relevance[pick] ** CLOSING)
        said = np.maximum(said, coverage.units[:, pick])
        covered = coverage.of_candidates(said)
    return picks
