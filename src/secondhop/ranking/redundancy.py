"""Measures of repetition between candidates, by name, so that a benchmark can show each.

Every measure gives a float matrix [n, n] in 0..1: row i, column j = how much of candidate i is
already said by candidate j. All but `evidence_coverage`, `shingle_overlap` and `kmeans_centroids`
are symmetric. The diagonal is what the formula gives (0 for a candidate without content).

Sources: the variants in the reference analysis of recall quality (title Jaccard, conversation
averages, and the mitigations proposed for them); evidence coverage is ours.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from secondhop.ranking.arrays import Floats, unit_rows
from secondhop.ranking.clusters import spherical_kmeans
from secondhop.ranking.coverage import evidence_coverage
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.shingles import shingle_overlap
from secondhop.ranking.words import words

T = TypeVar("T")

CENTROIDS = 3
"""Centroids a candidate in `kmeans_centroids`, at most."""

TOPIC_SIZE = 8
"""Candidates a cluster in `topic_cluster`, about, when no topics are given."""


def nothing_repeats(evidence: Evidence) -> Floats:
    """0 everywhere: what a selection does when repetition is free."""
    return np.zeros((evidence.size, evidence.size))


def title_jaccard(evidence: Evidence) -> Floats:
    """|A ∩ B| / |A ∪ B| over the words of the titles, all scripts.

    Two titles without words have similarity 0: an empty title says nothing, so it repeats
    nothing. That is the measure's known hole ("New Chat" aside: those two words do count).

    Source: Jaccard, Bulletin de la Société vaudoise des sciences naturelles 37, 1901.
    """
    sets = [frozenset(words(title)) for title in _needed(evidence.titles, name="titles")]
    known = sorted({word for own in sets for word in own})
    vocabulary = {word: column for column, word in enumerate(known)}
    has = np.zeros((len(sets), len(vocabulary)))
    for row, own in enumerate(sets):
        has[row, [vocabulary[word] for word in own]] = 1.0
    shared = has @ has.T
    sizes = has.sum(axis=1)
    union = sizes[:, None] + sizes[None, :] - shared
    return np.asarray(shared / np.maximum(union, 1.0), dtype=np.float64)


def mean_vectors(evidence: Evidence) -> Floats:
    """Cosine of the candidates' average passage vectors; a negative cosine counts 0."""
    return _cosines(evidence.mean_rows(evidence.vectors[evidence.rows].astype(np.float64)))


def length_weighted_mean(evidence: Evidence) -> Floats:
    """As `mean_vectors`, each passage weighing as much as it is long."""
    lengths = np.asarray(_needed(evidence.lengths, name="lengths"), dtype=np.float64)
    weighted = evidence.vectors[evidence.rows] * lengths[evidence.rows, None]
    return _cosines(evidence.mean_rows(weighted))


def max_pool(evidence: Evidence) -> Floats:
    """Cosine of the candidates' dimension-wise maxima over their passage vectors."""
    pooled = np.full((evidence.size, evidence.vectors.shape[1]), -np.inf)
    np.maximum.at(pooled, evidence.owner, evidence.vectors[evidence.rows])
    return _cosines(np.where(np.isfinite(pooled), pooled, 0.0))


def kmeans_centroids(evidence: Evidence) -> Floats:
    """Each candidate as at most three centroids of its passages: mean over i's centroids,
    weighted by their passages, of the best cosine with one of j's."""
    owners: list[int] = []
    weights: list[float] = []
    centroids: list[Floats] = []
    for candidate, own in enumerate(evidence.passages):
        if len(own):
            labels, found = spherical_kmeans(evidence.vectors[list(own)], k=CENTROIDS)
            owners += [candidate] * len(found)
            weights += np.bincount(labels, minlength=len(found)).tolist()
            centroids += list(found.astype(np.float64))
    matrix = np.zeros((evidence.size, evidence.size))
    if centroids:
        stacked, owner, weight = np.stack(centroids), np.array(owners), np.array(weights)
        speakers, starts = np.unique(owner, return_index=True)
        best = np.maximum.reduceat(np.clip(stacked @ stacked.T, 0, 1), starts, axis=1)
        totals = np.add.reduceat(best * weight[:, None], starts, axis=0)
        shares = totals / np.add.reduceat(weight, starts)[:, None]
        matrix[np.ix_(speakers, speakers)] = np.clip(shares, 0, 1)
    return matrix


def topic_cluster(evidence: Evidence) -> Floats:
    """1 in the same cluster, else 0. Clusters: `topics`, or k-means over the mean vectors."""
    if evidence.topics is not None:
        return _same(np.asarray(evidence.topics))
    means = unit_rows(evidence.mean_rows(evidence.vectors[evidence.rows].astype(np.float64)))
    if not len(means):
        return np.zeros((0, 0))
    labels, _ = spherical_kmeans(means, k=-(-len(means) // TOPIC_SIZE))
    return _same(labels)


def same_parent(evidence: Evidence) -> Floats:
    """1 when both are parts of the same thing, else 0; "" is no parent and equals nothing."""
    parents = np.asarray(_needed(evidence.parents, name="parents"), dtype=np.str_)
    return np.where(parents == "", 0.0, _same(parents))


def evidence_coverage_matrix(evidence: Evidence) -> Floats:
    """`evidence_coverage` with the default sharpening, pair by pair."""
    return evidence_coverage(evidence).matrix()


def shingle_containment(evidence: Evidence) -> Floats:
    """`shingle_overlap` of the candidates' texts, their passages joined."""
    texts = _needed(evidence.texts, name="texts")
    return shingle_overlap(["\n".join(texts[row] for row in own) for own in evidence.passages])


REDUNDANCY: Mapping[str, Callable[[Evidence], Floats]] = MappingProxyType(
    {
        "none": nothing_repeats,
        "title_jaccard": title_jaccard,
        "mean": mean_vectors,
        "length_weighted_mean": length_weighted_mean,
        "max_pool": max_pool,
        "kmeans_centroids": kmeans_centroids,
        "topic_cluster": topic_cluster,
        "same_parent": same_parent,
        "evidence_coverage": evidence_coverage_matrix,
        "shingle_overlap": shingle_containment,
    }
)
"""Every measure by its name in the settings."""


def _cosines(vectors: Floats) -> Floats:
    rows = unit_rows(vectors).astype(np.float64)
    return np.clip(rows @ rows.T, 0.0, 1.0)


def _same(labels: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Floats:
    return np.asarray(labels[:, None] == labels[None, :], dtype=np.float64)


def _needed(values: Sequence[T] | None, *, name: str) -> Sequence[T]:
    if values is None:
        raise ValueError(f"this measure of redundancy needs Evidence.{name}; give them")
    return values
