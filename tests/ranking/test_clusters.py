"""Spherical k-means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.arrays import unit_rows
from secondhop.ranking.clusters import spherical_kmeans

seeds = st.integers(0, 2**32 - 1)


def test_three_groups_are_found() -> None:
    rng = np.random.default_rng(3)
    vectors = unit_rows(np.repeat(np.eye(3), 5, axis=0) + rng.normal(scale=0.1, size=(15, 3)))
    labels, centroids = spherical_kmeans(vectors, k=3)
    groups = labels.reshape(3, 5)
    assert (groups == groups[:, :1]).all()
    assert len(set(groups[:, 0])) == 3
    assert np.abs(centroids[groups[:, 0]] - np.eye(3)).max() < 0.15


def test_equal_rows_make_one_cluster() -> None:
    labels, centroids = spherical_kmeans(unit_rows(np.ones((4, 3))), k=3)
    assert labels.tolist() == [0, 0, 0, 0]
    assert centroids.shape == (1, 3)


@given(seeds, st.integers(1, 25), st.integers(1, 6))
def test_clusters_are_complete_and_the_same_every_time(seed: int, rows: int, k: int) -> None:
    vectors = unit_rows(np.random.default_rng(seed).normal(size=(rows, 5)))
    labels, centroids = spherical_kmeans(vectors, k=k)
    assert labels.shape == (rows,)
    assert labels.max() < len(centroids) <= min(k, rows)
    assert np.linalg.norm(centroids, axis=1) == pytest.approx(1.0, abs=1e-5)
    again, _ = spherical_kmeans(vectors.copy(), k=k)
    assert np.array_equal(labels, again)


@given(seeds, st.integers(2, 25))
def test_the_order_of_rows_does_not_change_the_partition(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = unit_rows(rng.normal(size=(rows, 8)))
    order = rng.permutation(rows)
    labels, _ = spherical_kmeans(vectors, k=3)
    turned, _ = spherical_kmeans(vectors[order], k=3)
    together = labels[:, None] == labels[None, :]
    assert np.array_equal(turned[:, None] == turned[None, :], together[np.ix_(order, order)])


def test_input_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="n > 0"):
        spherical_kmeans(np.zeros((0, 3), dtype=np.float32), k=1)
    with pytest.raises(ValueError, match="positive"):
        spherical_kmeans(np.eye(2, dtype=np.float32), k=0)
