"""Pseudo-relevance feedback: the words that good passages add to a query."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import fsum, log
from typing import TypeAlias

DocumentFrequency: TypeAlias = Mapping[str, int] | Callable[[str], int]


def expansion_terms(
    passages: Sequence[Sequence[str]],
    *,
    weights: Sequence[float],
    document_frequency: DocumentFrequency,
    documents: int,
    n: int = 10,
) -> list[tuple[str, float]]:
    """The `n` terms most telling of the passages, best first; the weights sum to 1.

    weight(w) ∝ log((N + 1) / (df(w) + 1)) · Σ over passages p of weight_p · tf(w, p) / |p|

    The sum is the relevance model RM1; the factor lets the words of every passage fall out
    without a stop list. Ties go to the smaller term. Long passages do not win by length.

    Args:
        passages: tokens of each feedback passage.
        weights: one a passage, >= 0, such as its score or 1.0 for hot and 0.4 for warm.
        document_frequency: in how many of the `documents` a term stands; unknown terms count 1.
        documents: N, size of the collection those frequencies are from.

    Raises:
        ValueError: the weights do not fit, or documents or n is negative.

    Source: Lavrenko & Croft, SIGIR 2001, doi:10.1145/383952.383972; RM3: Abdul-Jaleel et al.,
    TREC 2004. The idf factor is ours.
    """
    if len(weights) != len(passages) or any(not weight >= 0 for weight in weights):
        raise ValueError(f"{len(passages)} passages need as many weights >= 0, got {weights}")
    if documents < 0 or n < 0:
        raise ValueError(f"documents and n must not be negative, got {documents}, {n}")
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for passage, weight in zip(passages, weights, strict=True):
        for term, count in Counter(passage).items():
            parts[term].append(weight * count / len(passage))
    scored = {
        term: fsum(shares) * _idf(term, document_frequency, documents=documents)
        for term, shares in parts.items()
    }
    best = sorted(
        ((term, score) for term, score in scored.items() if score > 0),
        key=lambda pair: (-pair[1], pair[0]),
    )[:n]
    total = fsum(score for _, score in best)
    return [(term, score / total) for term, score in best]


def _idf(term: str, frequencies: DocumentFrequency, *, documents: int) -> float:
    known = frequencies(term) if callable(frequencies) else frequencies.get(term, 1)
    return log((documents + 1) / (min(max(known, 1), documents) + 1))


def interpolate(
    query_terms: Sequence[str],
    expansion: Sequence[tuple[str, float]],
    *,
    query_share: float = 0.5,
) -> list[tuple[str, float]]:
    """RM3: the query's own terms mixed with its expansion, best first; the weights sum to 1.

    weight(w) = query_share · tf(w, query) / |query| + (1 - query_share) · expansion weight

    A side that is empty leaves its share to the other. Ties go to the smaller term.

    Raises:
        ValueError: query_share is outside 0..1.

    Source: Abdul-Jaleel et al., UMass at TREC 2004: Novelty and HARD.
    """
    if not 0 <= query_share <= 1:
        raise ValueError(f"query_share must lie in 0..1, got {query_share}")
    total = fsum(weight for _, weight in expansion)
    share = query_share if total > 0 else 1.0
    share = share if query_terms else 0.0
    mixed: defaultdict[str, float] = defaultdict(float)
    for term, count in Counter(query_terms).items():
        mixed[term] += share * count / len(query_terms)
    if total > 0:
        for term, weight in expansion:
            mixed[term] += (1 - share) * weight / total
    return sorted(mixed.items(), key=lambda pair: (-pair[1], pair[0]))
