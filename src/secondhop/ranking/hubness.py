"""Hubs: memories that are near to every question. Measuring them, and correcting for them.

A bank is a set of background questions of any subject. What is near to the whole bank is near
to this question for no reason of its own.
"""

import numpy as np

from secondhop.ranking.arrays import Floats, Indices

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


def k_occurrence(scores: _Scores, *, k: int) -> Indices:
    """In how many queries' top k each candidate stands: [n]. Ties go to the lower index.

    Args:
        scores: [q, n], higher is better.

    Raises:
        ValueError: k is not positive.
    """
    if k < 1:
        raise ValueError(f"k must be positive, got {k}")
    best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.bincount(best.ravel(), minlength=scores.shape[1])


def hubness(occurrences: Indices) -> float:
    """Skewness of the k-occurrence: 0 = every memory is found alike, above 1 = there are hubs.

    skewness = mean((N - mean N)³) / std(N)³; 0 when all are equal or there are none.

    Source: Radovanović, Nanopoulos & Ivanović, JMLR 11, 2010, pp. 2487-2531.
    """
    if not len(occurrences):
        return 0.0
    deviations = occurrences - occurrences.mean()
    spread = float(np.sqrt((deviations**2).mean()))
    return float((deviations**3).mean()) / spread**3 if spread > 0 else 0.0


def top_share(occurrences: Indices, *, share: float = 0.01) -> float:
    """What part of all places the most found candidates take, 0..1; 0 when there are none.

    `share` when all are found alike. At least one candidate counts as the top.

    Args:
        share: of the candidates that are the top, 0..1.
    """
    total = int(occurrences.sum())
    if not total:
        return 0.0
    top = max(1, round(share * len(occurrences)))
    return float(np.sort(occurrences)[-top:].sum()) / total
