"""The input and output of facet diversification."""

from dataclasses import dataclass

import numpy as np

from secondhop.ranking.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FacetPool:
    """How well each candidate serves each facet.

    Raises:
        ValueError: shapes do not fit, or a number lies outside its range.
    """

    facet_relevance: Floats
    """[n_candidates, n_facets], 0..1, calibrated so that facets can be compared."""
    weights: Floats
    """[n_facets], >= 0: how much of a good answer each facet is. Only their ratios matter."""
    relevance: Floats | None = None
    """[n_candidates], 0..1: relevance to the question as a whole. It breaks ties, and
    `facet_select` mixes it in. None: the weighted mean over the facets."""

    def __post_init__(self) -> None:
        if self.facet_relevance.ndim != 2:
            raise ValueError(
                f"facet_relevance must be [n_candidates, n_facets], "
                f"got {self.facet_relevance.shape}"
            )
        candidates, facets = self.facet_relevance.shape
        if self.weights.shape != (facets,):
            raise ValueError(f"{facets} facets need weights [{facets}], got {self.weights.shape}")
        if not (np.isfinite(self.weights).all() and (self.weights >= 0).all()):
            raise ValueError(f"weights must be finite and not negative, got {self.weights}")
        _check_unit_interval(self.facet_relevance, name="facet_relevance")
        if self.relevance is not None:
            if self.relevance.shape != (candidates,):
                raise ValueError(
                    f"{candidates} candidates need relevance [{candidates}], "
                    f"got {self.relevance.shape}"
                )
            _check_unit_interval(self.relevance, name="relevance")

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

    def overall(self) -> Floats:
        """[n_candidates]: `relevance`, or the mean of the facets weighted by their shares."""
        if self.relevance is not None:
            return np.asarray(self.relevance, dtype=np.float64)
        return np.asarray((self.facet_relevance * self.shares()).sum(axis=1), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class FacetPick:
    """One picked candidate."""

    index: int
    """Row in the pool."""
    facet: int | None
    """The facet it was mainly picked for; None if it serves no open facet and only fills a slot."""
    gain: float
    """Its gain when it was picked, after the penalty for repetition."""


def _check_unit_interval(values: Floats, *, name: str) -> None:
    if values.size and not (np.isfinite(values).all() and values.min() >= 0 and values.max() <= 1):
        raise ValueError(f"{name} must lie in 0..1; calibrate the scores first")
