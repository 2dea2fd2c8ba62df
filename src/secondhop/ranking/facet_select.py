"""Shares slots between facets by their weights, without repetitions.

gain(d) = (1 - λ)·rel(d) + λ · Σ over facets i of share_i · rel(d, i) · left_i
left_i = Π over picked p of (1 - rel(p, i)^closing): what the picks still leave open of facet i.
This is xQuAD (Santos, Macdonald & Ounis, WWW 2010, doi:10.1145/1772690.1772780) with two changes.
`closing` is 1 there; above it, only picks that serve a facet well close it, so that a few that
serve every facet a little do not keep out the one that serves it best. And a gain is multiplied by
the share of the candidate's evidence that the picks before it do not hold (joint, not pairwise:
see `coverage`).
"""

from collections.abc import Sequence

import numpy as np

from secondhop.ranking.arrays import first_best
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_pool import FacetPick, FacetPool

_TIE = 1e-9
"""Gains this near (relatively) are ties; sums over facets differ in the last bits only."""


def facet_select(
    pool: FacetPool,
    *,
    k: int,
    coverage: Coverage | None = None,
    lambda_: float = 0.9,
    closing: float = 3.0,
    duplicate_at: float = 0.9,
    first: Sequence[int] = (),
) -> list[FacetPick]:
    """At most `k` picks, in the order picked; the first k of k + 1 picks are the same.

    Ties go to the higher overall relevance, then to the lower index. Facets that no candidate
    serves lose their share to the others.

    Args:
        coverage: None: repetition is free.
        lambda_: 0 = relevance only, 1 = facets only.
        closing: how well a pick must serve a facet to close it, > 0.
        duplicate_at: coverage above this excludes a candidate while any other is left: no weight
            could argue a fourth copy of the same research into the answer.
        first: candidates that are picked before all others, in this order; what they say and serve
            counts against those that follow.

    Raises:
        ValueError: the coverage knows another number of candidates.
    """
    if coverage is not None and coverage.size != pool.size:
        raise ValueError(f"{pool.size} candidates, but coverage knows {coverage.size}")
    overall, weighted = pool.overall(), pool.facet_relevance * pool.shares()
    left = np.ones(pool.facet_relevance.shape[1])
    remaining = np.ones(pool.size, dtype=np.bool_)
    said = None if coverage is None else np.zeros(len(coverage.owner))
    covered = np.zeros(pool.size)
    picks: list[FacetPick] = []
    for turn in range(min(k, pool.size)):
        terms = weighted * left
        gains = ((1 - lambda_) * overall + lambda_ * np.add.reduce(terms, axis=1)) * (1 - covered)
        fresh = remaining & (covered <= duplicate_at)
        visible = np.where(fresh if fresh.any() else remaining, gains, -np.inf)
        if turn < len(first):
            pick = first[turn]
        else:
            pick = first_best(visible, relevance=overall, slack=_TIE * float(visible.max()))
        facet = int(terms[pick].argmax()) if terms[pick].any() else None
        picks.append(FacetPick(pick, facet, float(gains[pick])))
        remaining[pick] = False
        left = left * (1 - pool.facet_relevance[pick] ** closing)
        if coverage is not None and said is not None:
            said = np.maximum(said, coverage.units[:, pick])
            covered = coverage.of_candidates(said)
    return picks
