"""Fuses rankings by reciprocal ranks."""

from collections.abc import Sequence
from math import fsum


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], *, k: int = 60, weights: Sequence[float] | None = None
) -> list[tuple[str, float]]:
    """Fuse rankings into one, best first; ties go to the smaller id.

    score(d) = sum of weight / (k + rank of d) over the rankings that hold d; rank starts at 1.

    A repeated id in a ranking is skipped and takes no rank, so a memory with several passages does
    not push others down. The order of the rankings does not matter, because `fsum` adds exactly.

    Args:
        rankings: ids, best first.
        k: damping constant, > 0; the source uses 60.
        weights: one per ranking, >= 0; None: all equal.

    Source: Cormack, Clarke & Buettcher, SIGIR 2009, doi:10.1145/1571941.1572114.

    >>> reciprocal_rank_fusion([["a", "b"], ["b", "a", "c"]], k=1)
    [('a', 0.8333333333333333), ('b', 0.8333333333333333), ('c', 0.25)]
    """
    factors = [1.0] * len(rankings) if weights is None else weights
    parts: dict[str, list[float]] = {}
    for ranking, factor in zip(rankings, factors, strict=True):
        for rank, found in enumerate(dict.fromkeys(ranking), start=1):
            parts.setdefault(found, []).append(factor / (k + rank))
    scored = [(found, fsum(terms)) for found, terms in parts.items()]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))
