"""The input and output of facet diversification."""

from dataclasses import dataclass

import numpy as np

from secondhop.ranking.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FacetPool:
    """How well each candidate serves each facet."""

    facet_relevance: Floats
    """[n_candidates, n_facets], 0..1, calibrated so that facets can be compared."""
    weights: Floats
    """[n_facets], >= 0: how much of a good answer each facet is. Only their ratios matter."""

    @property
    def size(self) -> int:
        """Number of candidates."""
        return int(self.facet_relevance.shape[0])

    def shares(self) -> Floats:
        """[n_facets]: the weights scaled to sum 1; 0 for a facet that no candidate serves.

        All zeros if no facet with a weight is served.
        """
        served = self.facet_relevance.max(axis=0, initial=0.0) > 0
        weights = np.where(served, self.weights, 0.0)
        total = weights.sum()
        return np.asarray(weights / total if total > 0 else weights, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class FacetPick:
    """One picked candidate."""

    index: int
    """Row in the pool."""
    facet: int | None
    """The facet it was mainly picked for; None if it serves no open facet and only fills a slot."""
    gain: float
    """Its gain when it was picked, after the penalty for repetition."""
