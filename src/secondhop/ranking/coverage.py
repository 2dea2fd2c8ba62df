"""How much of each candidate the picks already say; updated with each pick.

A candidate consists of units: its evidence passages, or the candidate itself if only a matrix is
known. The coverage of a unit is that of the pick that covers it best. The coverage of a candidate
is the mean over its units. So two picks that each cover a different half of a candidate together
cover all of it; a maximum over pairs would miss that.

How much of candidate i's evidence candidate j says:

said(p, q) = max( clip((cos(p, q) - lo) / (hi - lo), 0, 1),  containment(p in q) )
coverage(i by j) = mean over i's passages p of max over j's passages q of said(p, q)

Passages are compared one by one, because two memories about one subject have similar average
vectors and may still say different things. The cosine is sharpened, because small embedding models
give passages on one subject 0.7 to 0.8, and only repetition more. Literal repetition counts
whatever the cosine is. The measure is directed: a long memory covers its summary, but the summary
covers the long memory only in part.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secondhop.ranking.arrays import Floats, Indices
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.shingles import shingle_overlap


@dataclass(frozen=True, eq=False)
class Coverage:
    """How much of each unit each candidate says."""

    units: Floats
    """[n_units, n_candidates], 0..1: how much of the unit the candidate says."""
    owner: Indices
    """[n_units]: the candidate each unit belongs to."""

    def of_candidates(self, covered: Floats) -> Floats:
        """[n_candidates]: mean of `covered` [n_units] over a candidate's units; 0 without units."""
        sums = np.bincount(self.owner, weights=covered, minlength=self.units.shape[1])
        return np.asarray(sums / self._unit_counts, dtype=np.float64)

    def part(self, candidates: Sequence[int]) -> "Coverage":
        """Among these candidates alone; their index becomes their place in the sequence."""
        columns = np.array(candidates, dtype=np.intp)
        own = [np.flatnonzero(self.owner == one) for one in candidates]
        rows = np.concatenate([*own, np.empty(0, dtype=np.intp)])
        owner = np.repeat(np.arange(len(own)), [len(units) for units in own])
        return Coverage(self.units[np.ix_(rows, columns)], owner)

    def matrix(self) -> Floats:
        """[n, n]: how much of candidate i candidate j says alone."""
        size = int(self.units.shape[1])
        places = (self.owner[:, np.newaxis] * size + np.arange(size)).ravel()
        sums = np.bincount(places, weights=self.units.ravel(), minlength=size * size)
        means = sums.reshape(size, size) / self._unit_counts[:, np.newaxis]
        return np.asarray(means, dtype=np.float64)

    @cached_property
    def _unit_counts(self) -> Indices:
        """[n_candidates]: the number of each candidate's units, or 1 if it has none."""
        return np.maximum(np.bincount(self.owner, minlength=self.units.shape[1]), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharpening:
    """The affine map of a cosine to 0..1."""

    lo: float
    """The cosine that becomes 0: nothing is repeated."""
    hi: float
    """The cosine that becomes 1: everything is repeated."""

    def __post_init__(self) -> None:
        if not self.lo < self.hi:
            raise ValueError(f"lo must be below hi, got {self.lo}, {self.hi}")

    def __call__(self, cosines: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> Floats:
        """Map cosines of any shape to 0..1."""
        return np.clip(
            (np.asarray(cosines, dtype=np.float64) - self.lo) / (self.hi - self.lo), 0, 1
        )


def evidence_coverage(evidence: Evidence, *, sharpening: Sharpening) -> Coverage:
    """Coverage with one unit per passage; `.matrix()` gives the pairwise measure [n, n].

    A candidate without passages covers nothing and is covered by nothing.

    Source: ours; containment by Broder 1997 (see `shingles`).
    """
    rows = evidence.rows
    units = np.zeros((len(rows), len(evidence.passages)))
    speakers, starts = np.unique(evidence.owner, return_index=True)
    if len(speakers):
        # sharpening is monotonic, so take the maximum first
        near = sharpening(np.maximum.reduceat(evidence.cosines, starts, axis=1))
        texts = [evidence.texts[int(row)] for row in rows]
        copied = np.maximum.reduceat(shingle_overlap(texts), starts, axis=1)
        units[:, speakers] = np.maximum(near, copied)
    return Coverage(units, evidence.owner)
