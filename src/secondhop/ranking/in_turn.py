"""Facets take turns: the simplest way to share slots, and a hard one to beat."""

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, Mask
from secondhop.ranking.facet_pool import FacetPick, FacetPool
from secondhop.ranking.greedy import Repetition, greedy_steps

_NO_REPETITION = Repetition()


class InTurnGains:
    """gain(d) = rel(d, i), where i is the facet whose turn it is.

    The heaviest facet begins, and after the lightest it begins again. A facet that no eligible
    candidate serves is passed over. What a pick does for other facets does not count.
    """

    def __init__(self, pool: FacetPool) -> None:
        self._relevance = np.asarray(pool.facet_relevance, dtype=np.float64)
        shares = pool.shares()
        self._order = [i for i in np.argsort(-shares, kind="stable").tolist() if shares[i] > 0]
        self._turn = 0

    def gains(self, eligible: Mask) -> tuple[Floats, Indices]:
        """The facet is the one whose turn it is, for the candidates that serve it."""
        turn = self._next_served(eligible)
        if turn is None:
            return np.zeros(len(eligible)), np.full(len(eligible), -1, dtype=np.intp)
        self._turn = turn
        facet = self._order[turn]
        own = self._relevance[:, facet]
        return own, np.where(own > 0, facet, -1)

    def take(self, pick: int) -> None:
        """The next facet's turn, whatever was picked."""
        self._turn = (self._turn + 1) % max(len(self._order), 1)

    def _next_served(self, eligible: Mask) -> int | None:
        served = self._relevance[eligible].max(axis=0, initial=0.0) > 0
        turns = ((self._turn + step) % len(self._order) for step in range(len(self._order)))
        return next((turn for turn in turns if served[self._order[turn]]), None)


def in_turn_select(
    pool: FacetPool, *, k: int, repetition: Repetition = _NO_REPETITION
) -> list[FacetPick]:
    """At most `k` picks, in the order picked; no candidate twice.

    Facets of equal weight go by their index. Ties between candidates go to the higher overall
    relevance, then to the lower index; candidates that serve no facet come last.

    Raises:
        ValueError: k is negative.

    Source: draft picks, as in the team-draft interleaving of Radlinski, Kurup & Joachims, CIKM
    2008, doi:10.1145/1458082.1458092.
    """
    steps = greedy_steps(pool, InTurnGains(pool), k=k, repetition=repetition)
    return [
        FacetPick(step.pick, step.facet if step.facet >= 0 else None, float(step.gains[step.pick]))
        for step in steps
    ]
