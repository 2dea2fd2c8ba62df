"""The evidence of a pool's candidates, and which candidates newer ones seem to replace."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secondhop.ranking.arrays import Indices, Vectors, row_products


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Candidates with their evidence passages."""

    vectors: Vectors
    """float32 [n_passages, dim], rows of unit length."""
    passages: Sequence[Sequence[int]]
    """For each candidate, the rows of its evidence passages; may be empty."""
    texts: Sequence[str]
    """[n_passages] the passages' texts."""

    @cached_property
    def rows(self) -> Indices:
        """Rows of all candidates' passages, one candidate after the other."""
        return np.array([row for own in self.passages for row in own], dtype=np.intp)

    @cached_property
    def owner(self) -> Indices:
        """The candidate of each entry of `rows`."""
        return np.repeat(np.arange(len(self.passages)), [len(own) for own in self.passages])

    @cached_property
    def cosines(self) -> Vectors:
        """[n_entries, n_entries]: cosines of the entries of `rows` with each other."""
        return row_products(self.vectors[self.rows])


NEAR_BACK = 2
"""The older memory must be among this many nearest neighbours of the newer one."""


def successors(
    evidence: Evidence, written_at: Sequence[float], *, threshold: float = 0.76
) -> dict[int, int]:
    """{older candidate: newer candidate} for pairs that look like two versions of one subject.

    near(i, j) = max over i's evidence passages p and j's passages q of cos(p, q)

    Candidate j is the successor of i if j is i's nearest neighbour in the pool, was written later
    (`written_at`, epoch seconds), near(i, j) >= threshold (the default fits bge-small-en-v1.5), and
    i is among j's two nearest. The last condition keeps a memory that is near to many from
    replacing them all. The result is only a guess: two memories on one subject may hold different
    things. Ties go to the lower index. Source: ours.
    """
    speakers, starts = np.unique(evidence.owner, return_index=True)
    if len(speakers) < 2:
        return {}
    cosines = np.maximum.reduceat(evidence.cosines, starts, axis=1)
    near = np.maximum.reduceat(cosines, starts, axis=0)
    np.fill_diagonal(near, -1.0)
    nearest = near.argmax(axis=1)
    dates = np.asarray(written_at, dtype=np.float64)[speakers]
    return {
        int(speakers[old]): int(speakers[new])
        for old, new in enumerate(nearest.tolist())
        if near[old, new] >= threshold
        and dates[new] > dates[old]
        and int((near[new] > near[old, new]).sum()) < NEAR_BACK
    }
