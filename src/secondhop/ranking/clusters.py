"""Spherical k-means that gives the same clusters every time."""

import numpy as np

from secondhop.ranking.arrays import Indices, Vectors, unit_rows

_SLACK = 1e-6
"""Cosines this near are ties (float32)."""


def spherical_kmeans(vectors: Vectors, *, k: int, iterations: int = 20) -> tuple[Indices, Vectors]:
    """Cluster by cosine: labels [n] and centroids float32 [at most k, dim], unit length.

    Seeds go farthest first: the row nearest to the mean of all, then always the row least like
    any seed; rows equal to a seed are no seeds, so there may be fewer clusters than `k`. Then at
    most `iterations` rounds of assign and average, ended early when nothing moves. Ties go to
    the lower index, of row and of cluster. A cluster that runs empty keeps its centroid.

    Args:
        vectors: float32 [n, dim], rows of unit length, n > 0.

    Raises:
        ValueError: no vectors, or k or iterations not positive.

    Source: Dhillon & Modha, Machine Learning 42, 2001, doi:10.1023/A:1007612920971;
    seeding: Gonzalez, Theoretical Computer Science 38, 1985, doi:10.1016/0304-3975(85)90224-5.
    """
    if vectors.ndim != 2 or not len(vectors):
        raise ValueError(f"vectors must be [n, dim] with n > 0, got {vectors.shape}")
    if k < 1 or iterations < 1:
        raise ValueError(f"k and iterations must be positive, got {k}, {iterations}")
    centroids = vectors[_farthest_first(vectors, k=k)]
    labels = _assign(vectors, centroids=centroids)
    for _ in range(iterations):
        centroids = _average(vectors, labels=labels, centroids=centroids)
        moved = _assign(vectors, centroids=centroids)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels, centroids


def _farthest_first(vectors: Vectors, *, k: int) -> list[int]:
    middle = unit_rows(vectors.astype(np.float64).mean(axis=0))
    seeds = [_first_highest(vectors @ middle)]
    nearest = vectors @ vectors[seeds[0]]
    while len(seeds) < min(k, len(vectors)):
        farthest = _first_highest(-nearest)
        if nearest[farthest] >= 1 - _SLACK:
            break
        seeds.append(farthest)
        nearest = np.maximum(nearest, vectors @ vectors[farthest])
    return seeds


def _first_highest(scores: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> int:
    return int((scores >= scores.max() - _SLACK).argmax())


def _assign(vectors: Vectors, *, centroids: Vectors) -> Indices:
    similarity = vectors @ centroids.T
    near_best = similarity >= similarity.max(axis=1, keepdims=True) - _SLACK
    return np.asarray(near_best.argmax(axis=1), dtype=np.intp)


def _average(vectors: Vectors, *, labels: Indices, centroids: Vectors) -> Vectors:
    totals = np.zeros(centroids.shape, dtype=np.float64)
    np.add.at(totals, labels, vectors)
    means = unit_rows(totals)
    empty = ~means.any(axis=1, keepdims=True)
    return np.where(empty, centroids, means)
