"""Ours: how much of a candidate's evidence another candidate's evidence already says.

said(p, q) = max( clip((cos(p, q) - lo) / (hi - lo), 0, 1),  containment(p in q) )
coverage(i by j) = mean over i's passages p of max over j's passages q of said(p, q)

Two memories about one subject have near average vectors and may say different things; passages
that say the same thing are near each other one by one. The cosine is sharpened because small
embedding models give passages of one subject 0.7 to 0.8 and only repetition more; literal
repetition counts whatever the model thinks of it. Directed: a summary is covered by the long
memory it sums up, which it covers only in part.
"""

from dataclasses import dataclass

import numpy as np

from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.shingles import shingle_overlap


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
    units = np.zeros((len(rows), evidence.size))
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
