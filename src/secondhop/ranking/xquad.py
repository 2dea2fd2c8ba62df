"""xQuAD: explicit query aspect diversification."""

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, Mask
from secondhop.ranking.facet_pool import FacetPick, FacetPool
from secondhop.ranking.greedy import Repetition, greedy_steps

_NO_REPETITION = Repetition()


class XQuadGains:
    """gain(d) = (1 - λ)·rel(d) + λ · Σ over facets i of share_i · rel(d, i) · left_i

    left_i = Π over picked p of (1 - rel(p, i)^closing): what the picks still leave open of facet
    i. closing is 1 in the source; above it, only picks that serve a facet well close it, so that
    a few that serve every facet a little do not keep out the one that serves it best.
    """

    def __init__(self, pool: FacetPool, *, lambda_: float, closing: float = 1.0) -> None:
        if not 0 <= lambda_ <= 1:
            raise ValueError(f"lambda_ must lie in 0..1, got {lambda_}")
        if not closing > 0:
            raise ValueError(f"closing must be positive, got {closing}")
        self._closing = closing
        self._pool = pool
        self._weighted = np.asarray(pool.facet_relevance * pool.shares(), dtype=np.float64)
        self._base = (1 - lambda_) * pool.overall()
        self._lambda = lambda_
        self._left = np.ones(pool.facet_relevance.shape[1])

    def gains(self, eligible: Mask) -> tuple[Floats, Indices]:
        """The mainly served facet is the one with the biggest term; ties to the lower index."""
        terms = self._weighted * self._left
        served = np.full(len(eligible), -1, dtype=np.intp)
        if terms.shape[1]:
            served = np.where(np.maximum.reduce(terms, axis=1) > 0, terms.argmax(axis=1), -1)
        return self._base + self._lambda * np.add.reduce(terms, axis=1), served

    def take(self, pick: int) -> None:
        """Close of each facet what the pick says of it."""
        self._left = self._left * (1 - self._pool.facet_relevance[pick] ** self._closing)


def xquad_select(
    pool: FacetPool, *, k: int, lambda_: float = 0.5, repetition: Repetition = _NO_REPETITION
) -> list[FacetPick]:
    """At most `k` picks, in the order picked; no candidate twice.

    Ties go to the higher overall relevance, then to the lower index. Facets that no candidate
    serves lose their share to the others.

    Args:
        lambda_: 0 = relevance only, 1 = facets only (the other way round than in MMR, as in the
            source).

    Raises:
        ValueError: lambda_ is outside 0..1, or k is negative.

    Source: Santos, Macdonald & Ounis, WWW 2010, doi:10.1145/1772690.1772780.
    """
    steps = greedy_steps(pool, XQuadGains(pool, lambda_=lambda_), k=k, repetition=repetition)
    return [
        FacetPick(step.pick, step.facet if step.facet >= 0 else None, float(step.gains[step.pick]))
        for step in steps
    ]
