"""Memories that a newer one seems to replace."""

from collections.abc import Sequence

import numpy as np

from secondhop.ranking.evidence import Evidence

NEAR_BACK = 2
"""The older memory must be among this many nearest of the newer one."""


def successors(
    evidence: Evidence, written_at: Sequence[float], *, threshold: float = 0.76
) -> dict[int, int]:
    """{older candidate: newer candidate} for pairs that look like one subject, written afresh.

    near(i, j) = max over i's evidence passages p and j's q of cos(p, q); j is i's successor when
    it is i's nearest neighbour in the pool, written later, near(i, j) >= threshold, and i is
    among j's two nearest: a memory that many are near to does not replace them all. A suspicion,
    not a finding: two memories on one subject may hold different things. Ties go to the lower
    index.

    Args:
        evidence: the pool.
        written_at: [n_candidates] epoch seconds.
        threshold: cosine; the default fits bge-small-en-v1.5.

    Source: ours, after the temporal scenario of the reference on retrieval relevance.
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
