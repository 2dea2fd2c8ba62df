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


def csls(scores: _Scores, *, candidate_bank_mean: Floats, query_mean: Floats) -> Floats:
    """Cross-domain similarity local scaling [q, n]: 2·cos(q, d) - r(q) - r(d), -4..4.

    r(q) shifts a whole row; it changes no order, but puts queries on one scale.

    Args:
        scores: [q, n] cosines.
        candidate_bank_mean: [n], from `bank_mean_topk`.
        query_mean: [q], mean cosine of each query to its nearest candidates.

    Raises:
        ValueError: shapes do not fit.

    Source: Conneau et al., ICLR 2018, arXiv:1710.04087.
    """
    if scores.shape != (*query_mean.shape, *candidate_bank_mean.shape):
        raise ValueError(
            f"scores [q, n] need candidate_bank_mean [n] and query_mean [q], got {scores.shape}, "
            f"{candidate_bank_mean.shape}, {query_mean.shape}"
        )
    return 2 * scores - query_mean[:, None] - candidate_bank_mean[None, :]


def query_bank_norm(
    scores: _Scores, bank_sims: _Scores, *, beta: float = 20.0, dynamic: bool = True
) -> Floats:
    """Query-bank normalisation [q, n] with the inverted softmax, on the scale of the scores.

    s'(q, d) = s(q, d) - 1/β · log( mean over bank queries b of exp(β · s(b, d)) )

    which orders as the source's exp(β·s(q, d)) / Σ exp(β·s(b, d)) does, and cannot overflow.

    Args:
        scores: [q, n] cosines.
        bank_sims: [n_bank, n] cosines.
        beta: inverse temperature, > 0; 20 in the source.
        dynamic: correct only the queries whose best candidate is the best of some bank query
            (the source's dynamic inverted softmax); the other rows stay as they are.

    Raises:
        ValueError: shapes do not fit, the bank is empty, or beta is not positive.

    Source: Bogolin et al., CVPR 2022, arXiv:2112.12777; inverted softmax: Smith et al.,
    ICLR 2017, arXiv:1702.03859.
    """
    if bank_sims.ndim != 2 or not len(bank_sims) or scores.shape[1:] != bank_sims.shape[1:]:
        raise ValueError(
            f"scores [q, n] need a bank [n_bank > 0, n], got {scores.shape}, {bank_sims.shape}"
        )
    if not beta > 0:
        raise ValueError(f"beta must be positive, got {beta}")
    exact = np.asarray(scores, dtype=np.float64)
    if not exact.size:
        return exact
    tops = np.max(bank_sims, axis=0).astype(np.float64)
    spread = np.exp(beta * (bank_sims - tops)).mean(axis=0)
    corrected: Floats = np.asarray(exact - (tops + np.log(spread) / beta), dtype=np.float64)
    if not dynamic:
        return corrected
    hubs = np.unique(bank_sims.argmax(axis=1))
    activated = np.isin(exact.argmax(axis=1), hubs)
    return np.asarray(np.where(activated[:, None], corrected, exact), dtype=np.float64)


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
