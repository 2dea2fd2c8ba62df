"""PM-2: diversity by proportionality. Facets win seats as parties do, in proportion to weight."""

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, Mask, first_best
from secondhop.ranking.facet_pool import FacetPick, FacetPool
from secondhop.ranking.greedy import Repetition, greedy_steps

_NO_REPETITION = Repetition()
_TIE = 1e-9


class Pm2Gains:
    """quotient_i = share_i / (2·seats_i + 1) (Sainte-Laguë); the seat goes to the facet i* with
    the highest quotient among those that an eligible candidate serves, and within it

    gain(d) = λ · quotient_i* · rel(d, i*) + (1 - λ) · Σ over i ≠ i* of quotient_i · rel(d, i)

    The pick then fills seats of every facet, in proportion to how well it serves each.
    """

    def __init__(self, pool: FacetPool, *, lambda_: float) -> None:
        if not 0 <= lambda_ <= 1:
            raise ValueError(f"lambda_ must lie in 0..1, got {lambda_}")
        self._relevance = np.asarray(pool.facet_relevance, dtype=np.float64)
        self._shares = pool.shares()
        self._seats = np.zeros_like(self._shares)
        self._lambda = lambda_

    def gains(self, eligible: Mask) -> tuple[Floats, Indices]:
        """The facet is the one whose seat it is, or, for a candidate that does not serve that
        facet, the one that speaks most for it."""
        nobody = np.full(len(eligible), -1, dtype=np.intp)
        open_facets = (self._shares > 0) & (self._relevance[eligible] > 0).any(axis=0)
        if not open_facets.any():
            return np.zeros(len(eligible)), nobody
        quotients = self._shares / (2 * self._seats + 1)
        seat = first_best(
            np.where(open_facets, quotients, -np.inf), slack=_TIE * float(quotients.max())
        )
        factors = np.full(len(quotients), 1 - self._lambda)
        factors[seat] = self._lambda
        terms = self._relevance * quotients
        own = np.where(
            terms[:, seat] > 0, seat, np.where(terms.max(axis=1) > 0, terms.argmax(1), -1)
        )
        return (terms * factors).sum(axis=1), own

    def take(self, pick: int) -> None:
        """Share the seat among the facets that the pick serves."""
        served = np.where(self._shares > 0, self._relevance[pick], 0.0)
        total = served.sum()
        if total > 0:
            self._seats = self._seats + served / total


def pm2_select(
    pool: FacetPool, *, k: int, lambda_: float = 0.5, repetition: Repetition = _NO_REPETITION
) -> list[FacetPick]:
    """At most `k` picks, in the order picked; no candidate twice.

    Ties between facets go to the lower index; between candidates to the higher overall relevance,
    then to the lower index. A facet that no (remaining) candidate serves leaves its seats to the
    others. Candidates that serve no facet come last, by overall relevance.

    Args:
        lambda_: how much the facet whose seat it is decides; the rest is what the pick does for
            other facets. 1 = only the seat's facet.

    Raises:
        ValueError: lambda_ is outside 0..1, or k is negative.

    Source: Dang & Croft, SIGIR 2012, doi:10.1145/2348283.2348296.
    """
    steps = greedy_steps(pool, Pm2Gains(pool, lambda_=lambda_), k=k, repetition=repetition)
    return [
        FacetPick(step.pick, step.facet if step.facet >= 0 else None, float(step.gains[step.pick]))
        for step in steps
    ]
