"""How much of each candidate the picked ones already say, as a running value.

A candidate is made of units (its evidence passages; or itself, when only a matrix is known).
A unit is covered by the picked candidate that covers it best, a candidate by the mean over its
units. So two picks that each cover half of a candidate cover all of it together, which a
maximum over pairs would miss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secondhop.ranking.arrays import Floats, Indices


@dataclass(frozen=True, eq=False)
class Coverage:
    """Which candidate covers which unit, and whose unit it is."""

    units: Floats
    """[n_units, n_candidates], 0..1: how much of the unit the candidate says."""
    owner: Indices
    """[n_units]: the candidate each unit belongs to."""

    @classmethod
    def from_matrix(cls, redundancy: Floats) -> "Coverage":
        """From any redundancy matrix [n, n]: row i, column j = how much of i is said by j.

        Raises:
            ValueError: it is not square, or a value lies outside 0..1.
        """
        if redundancy.ndim != 2 or redundancy.shape[0] != redundancy.shape[1]:
            raise ValueError(f"redundancy must be [n, n], got {redundancy.shape}")
        if redundancy.size and not (redundancy.min() >= 0 and redundancy.max() <= 1):
            raise ValueError("redundancy must lie in 0..1")
        return cls(redundancy, np.arange(len(redundancy)))

    @property
    def size(self) -> int:
        """Number of candidates."""
        return int(self.units.shape[1])

    def of_candidates(self, covered: Floats) -> Floats:
        """[n_candidates]: mean of `covered` [n_units] over each one's units; 0 without units."""
        sums = np.bincount(self.owner, weights=covered, minlength=self.size)
        return np.asarray(sums / self._unit_counts, dtype=np.float64)

    def matrix(self) -> Floats:
        """[n, n]: how much of candidate i the candidate j alone says."""
        size = self.size
        places = (self.owner[:, np.newaxis] * size + np.arange(size)).ravel()
        sums = np.bincount(places, weights=self.units.ravel(), minlength=size * size)
        means = sums.reshape(size, size) / self._unit_counts[:, np.newaxis]
        return np.asarray(means, dtype=np.float64)

    def part(self, candidates: Sequence[int]) -> "Coverage":
        """Of some candidates, in that order, as if there were no others."""
        chosen = np.asarray(candidates, dtype=np.intp)
        place = np.full(self.size, -1, dtype=np.intp)
        place[chosen] = np.arange(len(chosen))
        places = place[self.owner]
        kept = np.flatnonzero(places >= 0)
        kept = kept[np.argsort(places[kept], kind="stable")]
        return Coverage(self.units[np.ix_(kept, chosen)], places[kept])

    @cached_property
    def _unit_counts(self) -> Indices:
        """[n_candidates] units of each, at least 1."""
        return np.maximum(np.bincount(self.owner, minlength=self.size), 1)
