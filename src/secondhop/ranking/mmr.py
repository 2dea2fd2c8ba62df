"""Maximal marginal relevance; each turn compares the candidates only with the newest pick."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Vector, Vectors

_SLACK = 1e-6
"""Scores this close are ties; it is about ten units in the last place of a float32 cosine."""

_Scores = npt.NDArray[np.floating]


def mmr_select(query: Vector, vectors: Vectors, *, k: int, lambda_: float = 0.5) -> list[int]:
    """Indices of at most `k` rows, in the order picked: relevant, and unlike the earlier picks.

    pick = argmax of lambda_ · cos(query, d) - (1 - lambda_) · max over picked p of cos(d, p)

    The first pick is the most relevant row, whatever lambda_ is. Ties (within 1e-6) go to the
    lower index. Takes O(k · n · dim) time and O(n) extra memory.

    Args:
        query: unit length.
        vectors: candidates, rows of unit length.
        k: at least 0.
        lambda_: 1 = relevance only, 0 = novelty only.

    Raises:
        ValueError: lambda_ is outside 0..1, k negative, shapes do not fit, or a number is NaN.

    Source: Carbonell & Goldstein, SIGIR 1998, doi:10.1145/290941.291025.
    """
    if query.ndim != 1 or vectors.ndim != 2 or vectors.shape[1] != query.shape[0]:
        raise ValueError(
            f"query [dim] and vectors [n, dim] must fit, got {query.shape}, {vectors.shape}"
        )
    return _select(vectors @ query, lambda pick: vectors @ vectors[pick], k=k, lambda_=lambda_)


def mmr_select_by_matrix(
    relevance: _Scores, similarity: _Scores, *, k: int, lambda_: float = 0.5
) -> list[int]:
    """Like `mmr_select`, for any relevance [n] and any similarity [n, n].

    Row i, column j says how much of candidate i candidate j repeats; it may be asymmetric.
    Relevance and similarity must have the same scale, or lambda_ means nothing.

    Raises:
        ValueError: as in `mmr_select`.
    """
    if similarity.shape != (relevance.shape[0], relevance.shape[0]):
        raise ValueError(
            f"relevance [n] and similarity [n, n] must fit, "
            f"got {relevance.shape}, {similarity.shape}"
        )
    return _select(relevance, lambda pick: similarity[:, pick], k=k, lambda_=lambda_)


def _select(
    relevance: _Scores, similarity_to: Callable[[int], _Scores], *, k: int, lambda_: float
) -> list[int]:
    if not 0 <= lambda_ <= 1:
        raise ValueError(f"lambda_ must lie in 0..1, got {lambda_}")
    if k < 0:
        raise ValueError(f"k must not be negative, got {k}")
    if not np.isfinite(relevance).all():
        raise ValueError("relevance must be finite; a vector holds NaN or infinity")
    picks: list[int] = []
    worth = relevance * lambda_
    repeated = np.full(len(relevance), -np.inf, dtype=relevance.dtype)
    scores = relevance.copy()
    for _ in range(min(k, len(relevance))):
        pick = int((scores >= scores.max() - _SLACK).argmax())
        picks.append(pick)
        worth[pick] = -np.inf
        np.maximum(repeated, similarity_to(pick), out=repeated)
        scores = worth - (1 - lambda_) * repeated
    return picks
