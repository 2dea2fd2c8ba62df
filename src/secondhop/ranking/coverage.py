"""How much of each candidate the picked ones already say, kept up to date with each pick.

A candidate is made of units (its evidence passages; or itself, when only a matrix is known).
A unit is covered by the picked candidate that covers it best, a candidate by the mean over its
units. So two picks that each cover half of a candidate cover all of it together, which a
maximum over pairs would miss.

How much of a candidate's evidence another candidate's evidence says:

said(p, q) = max( clip((cos(p, q) - lo) / (hi - lo), 0, 1),  containment(p in q) )
coverage(i by j) = mean over i's passages p of max over j's passages q of said(p, q)

Two memories about one subject have near average vectors and may say different things; passages
that say the same thing are near each other one by one. The cosine is sharpened because small
embedding models give passages of one subject 0.7 to 0.8 and only repetition more; literal
repetition counts whatever the model thinks of it. Directed: a summary is covered by the long
memory it sums up, which it covers only in part.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secondhop.ranking.arrays import Floats, Indices
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.shingles import shingle_overlap


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

    @cached_property
    def _unit_counts(self) -> Indices:
        """[n_candidates] units of each, at least 1."""
        return np.maximum(np.bincount(self.owner, minlength=self.size), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharpening:
    """The affine map of a cosine to 0..1; the defaults fit bge-small-en-v1.5."""

    lo: float = 0.75
    """Cosine at and below which nothing is repeated."""
    hi: float = 0.95
    """Cosine at and above which everything is."""

    def __post_init__(self) -> None:
        if not self.lo < self.hi:
            raise ValueError(f"lo must be below hi, got {self.lo}, {self.hi}")

    def __call__(self, cosines: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> Floats:
        """Map cosines of any shape to 0..1."""
        return np.clip(
            (np.asarray(cosines, dtype=np.float64) - self.lo) / (self.hi - self.lo), 0, 1
        )


_BGE_SMALL = Sharpening()


def evidence_coverage(evidence: Evidence, *, sharpening: Sharpening = _BGE_SMALL) -> Coverage:
    """Coverage with one unit a passage; `.matrix()` gives the pairwise measure [n, n].

    `texts` are used when they are there. A candidate without passages covers nothing and is
    covered by nothing.

    Raises:
        ValueError: lo is not below hi.

    Source: ours; containment by Broder 1997 (see `shingles`).
    """
    rows = evidence.rows
    units = np.zeros((len(rows), len(evidence.passages)))
    speakers, starts = np.unique(evidence.owner, return_index=True)
    if len(speakers):
        # sharpening never falls, so the best of its values is the value of the best
        said = sharpening(np.maximum.reduceat(evidence.cosines, starts, axis=1))
        if evidence.texts is not None:
            texts = [evidence.texts[int(row)] for row in rows]
            copied = np.maximum.reduceat(shingle_overlap(texts), starts, axis=1)
            said = np.maximum(said, copied)
        units[:, speakers] = said
    return Coverage(units, evidence.owner)
