"""Fusing rankings: within a facet by reciprocal ranks, between facets by sharing the slots."""

from collections.abc import Sequence
from math import fsum, isfinite
from typing import Literal, TypeAlias

Apportionment: TypeAlias = Literal["sainte-lague", "d-hondt"]

_TIE = 1e-12
"""Quotients this near (relatively) are ties: 0.3 / 3 and 0.1 / 1 differ in the last bit."""


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], *, k: int = 60, weights: Sequence[float] | None = None
) -> list[tuple[str, float]]:
    """Fuse rankings into one, best first; ties go to the smaller id.

    score(d) = sum of weight / (k + rank of d) over the rankings that hold d; rank starts at 1.

    An id that comes again in a ranking is skipped and takes no rank, so a memory with several
    passages does not push others down. Order and grouping of the rankings do not matter (fsum).

    Args:
        rankings: ids, best first.
        k: damping constant, > 0. 60 in the source.
        weights: one a ranking, >= 0; None weighs all alike.

    Raises:
        ValueError: k is not positive, or the weights do not fit.

    Source: Cormack, Clarke & Buettcher, SIGIR 2009, doi:10.1145/1571941.1572114.

    >>> reciprocal_rank_fusion([["a", "b"], ["b", "a", "c"]], k=1)
    [('a', 0.8333333333333333), ('b', 0.8333333333333333), ('c', 0.25)]
    """
    if k <= 0:
        raise ValueError(f"k must be positive, got {k}; 60 is the usual choice")
    factors = _checked_weights(weights, count=len(rankings))
    parts: dict[str, list[float]] = {}
    for ranking, factor in zip(rankings, factors, strict=True):
        for rank, found in enumerate(dict.fromkeys(ranking), start=1):
            parts.setdefault(found, []).append(factor / (k + rank))
    scored = [(found, fsum(terms)) for found, terms in parts.items()]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def interleave(
    rankings: Sequence[Sequence[str]],
    *,
    k: int,
    weights: Sequence[float] | None = None,
    method: Apportionment = "sainte-lague",
) -> list[tuple[str, int]]:
    """Let facets take turns by weight: at most `k` (id, facet index), no id twice.

    Each slot goes to the facet with the highest quotient weight / divisor, where the divisor of a
    facet with s slots is 2s + 1 (Sainte-Laguë: proportional) or s + 1 (D'Hondt: favours the
    heavy). The facet then takes its best id that nobody has taken. A facet that runs dry leaves
    its share to the others. Ties go to the lower facet index; a facet of weight 0 comes last.

    Raises:
        ValueError: k is negative, or the weights do not fit.

    Source: Balinski & Young, Fair Representation, 1982 (the divisor methods);
    as a diversification baseline: Dang & Croft, SIGIR 2012, doi:10.1145/2348283.2348296.

    >>> interleave([["a", "b"], ["a", "c"]], k=3, weights=[2, 1])
    [('a', 0), ('c', 1), ('b', 0)]
    """
    if k < 0:
        raise ValueError(f"k must not be negative, got {k}")
    shares = _checked_weights(weights, count=len(rankings))
    waiting = [list(reversed(list(dict.fromkeys(ranking)))) for ranking in rankings]
    slots = [0] * len(rankings)
    taken: dict[str, int] = {}
    while len(taken) < k:
        for queue in waiting:
            while queue and queue[-1] in taken:
                queue.pop()
        open_facets = [facet for facet, queue in enumerate(waiting) if queue]
        if not open_facets:
            break
        facet = _next_facet(open_facets, shares=shares, slots=slots, method=method)
        taken[waiting[facet].pop()] = facet
        slots[facet] += 1
    return list(taken.items())


def _next_facet(
    open_facets: list[int], *, shares: list[float], slots: list[int], method: Apportionment
) -> int:
    step = 2 if method == "sainte-lague" else 1
    quotients = {facet: shares[facet] / (step * slots[facet] + 1) for facet in open_facets}
    best = max(quotients.values())
    return next(facet for facet in open_facets if quotients[facet] >= best * (1 - _TIE))


def _checked_weights(weights: Sequence[float] | None, *, count: int) -> list[float]:
    factors = [1.0] * count if weights is None else [float(weight) for weight in weights]
    if len(factors) != count:
        raise ValueError(f"{count} rankings need {count} weights, got {len(factors)}")
    if not all(isfinite(factor) and factor >= 0 for factor in factors):
        raise ValueError(f"weights must be finite and not negative, got {factors}")
    return factors
