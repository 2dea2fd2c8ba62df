"""Maximal marginal relevance; each turn compares the candidates only with the newest pick."""

import numpy as np
import numpy.typing as npt

_SLACK = 1e-6
"""Scores this close are ties; it is about ten units in the last place of a float32 cosine."""

_Scores = npt.NDArray[np.floating]


def mmr_select(relevance: _Scores, similarity: _Scores, *, k: int, lambda_: float) -> list[int]:
    """Indices of at most `k` candidates, in the order picked: relevant, and unlike earlier picks.

    pick = argmax of lambda_ · relevance(d) - (1 - lambda_) · max over picked p of similarity(d, p)

    The first pick is the most relevant one, whatever lambda_ is. Ties (within 1e-6) go to the
    lower index.

    Args:
        relevance: [n].
        similarity: [n, n], on the same scale: row i, column j says how much of candidate i
            candidate j repeats; it may be asymmetric.
        lambda_: 0..1; 1 = relevance only, 0 = novelty only.

    Source: Carbonell & Goldstein, SIGIR 1998, doi:10.1145/290941.291025.
    """
    picks: list[int] = []
    worth = relevance * lambda_
    repeated = np.full(len(relevance), -np.inf, dtype=relevance.dtype)
    scores = relevance.copy()
    for _ in range(min(k, len(relevance))):
        pick = int((scores >= scores.max() - _SLACK).argmax())
        picks.append(pick)
        worth[pick] = -np.inf
        np.maximum(repeated, similarity[:, pick], out=repeated)
        scores = worth - (1 - lambda_) * repeated
    return picks
