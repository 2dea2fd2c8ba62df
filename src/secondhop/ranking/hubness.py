"""Hubs, memories that are near to every question, and the correction for them.

A bank is a set of background questions of any subject. What is near to the whole bank is near
to this question for no reason of its own.
"""

import numpy as np

from secondhop.ranking.arrays import Floats

_Scores = np.ndarray[tuple[int, ...], np.dtype[np.floating]]


def bank_mean_topk(bank_sims: _Scores, *, k: int = 10) -> Floats:
    """Mean similarity [n] of each candidate to its k nearest bank queries (all, when fewer).

    Args:
        bank_sims: [n_bank, n], cosines.

    Raises:
        ValueError: the bank is empty, or k is not positive.
    """
    if bank_sims.ndim != 2 or not len(bank_sims) or k < 1:
        raise ValueError(f"need a bank [n_bank > 0, n] and k > 0, got {bank_sims.shape}, k={k}")
    highest = min(k, len(bank_sims))
    nearest = np.partition(bank_sims, len(bank_sims) - highest, axis=0)[-highest:]
    return np.asarray(np.sort(nearest, axis=0).mean(axis=0, dtype=np.float64), dtype=np.float64)


def hub_corrected(cosines: _Scores, bank_means: _Scores, *, usual: float) -> Floats:
    """cos(q, d) - (r(d) - usual) / 2, elementwise: half of CSLS, on the scale of the cosine.

    What is near to the whole bank moves away, what is near to little else moves closer, and a
    memory of usual nearness stays where it is, so that thresholds keep their meaning.

    Args:
        cosines: with one question, any shape.
        bank_means: r(d) from `bank_mean_topk`, same shape.
        usual: the mean of r over many memories.

    Source: Conneau et al., ICLR 2018, arXiv:1710.04087, without r(q), which changes no order.
    """
    exact = np.asarray(cosines, dtype=np.float64)
    return exact - (np.asarray(bank_means, dtype=np.float64) - usual) / 2
