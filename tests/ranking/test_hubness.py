"""Hubs, found and corrected."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.arrays import unit_rows
from secondhop.ranking.hubness import (
    bank_mean_topk,
    hub_corrected,
    hubness,
    k_occurrence,
    top_share,
)

seeds = st.integers(0, 2**32 - 1)

SCORES = np.array([[0.80, 0.75, 0.10]])
BANK = np.array([[0.78, 0.30, 0.20], [0.76, 0.20, 0.40], [0.70, 0.10, 0.10]])
"""Candidate 0 is near to every bank query: a hub. Candidate 1 is near to this question."""


def test_bank_means_by_hand() -> None:
    assert bank_mean_topk(BANK, k=2) == pytest.approx([0.77, 0.25, 0.30])
    assert bank_mean_topk(BANK, k=99) == pytest.approx(BANK.mean(axis=0))


def test_half_of_what_is_unusual_about_a_memory_is_taken_from_its_cosine_by_hand() -> None:
    # usual 0.5: 0.80 - (0.77 - 0.5) / 2, 0.75 - (0.25 - 0.5) / 2, and one of usual nearness
    corrected = hub_corrected(np.array([0.80, 0.75, 0.10]), np.array([0.77, 0.25, 0.5]), usual=0.5)
    assert corrected == pytest.approx([0.665, 0.875, 0.10])
    assert corrected.argmax() == 1


def test_occurrences_and_their_skewness_by_hand() -> None:
    scores = np.array([[0.9, 0.5, 0.1], [0.9, 0.1, 0.5], [0.9, 0.9, 0.1]])
    assert k_occurrence(scores, k=1).tolist() == [3, 0, 0]  # the tie goes to the lower index
    # mean 1, deviations 2, -1, -1: (8 - 1 - 1) / 3 = 2; variance 2: 2 / 2^1.5 = 0.7071
    assert hubness(np.array([3, 0, 0])) == pytest.approx(2 / 2**1.5)
    assert hubness(np.array([1, 1, 1])) == 0.0
    assert hubness(np.array([], dtype=np.intp)) == 0.0


@given(seeds)
def test_the_correction_lowers_the_hubness_of_planted_hubs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=24) * 0.8
    queries = unit_rows(centre + rng.normal(size=(120, 24)))
    memories = unit_rows(centre + rng.normal(size=(60, 24)))
    memories[:3] = unit_rows(centre)
    bank, asked = queries[:60], queries[60:]
    scores = (asked @ memories.T).astype(np.float64)
    near = bank_mean_topk(bank @ memories.T)
    corrected = hub_corrected(scores, near, usual=float(near.mean()))
    assert hubness(k_occurrence(corrected, k=5)) < hubness(k_occurrence(scores, k=5))


@given(seeds, st.integers(1, 8))
def test_every_query_is_counted_k_times(seed: int, k: int) -> None:
    scores = np.random.default_rng(seed).random((7, 8))
    assert k_occurrence(scores, k=k).sum() == 7 * k


def test_input_that_cannot_be_is_refused() -> None:
    empty = np.zeros((0, 3))
    with pytest.raises(ValueError, match="bank"):
        bank_mean_topk(empty)
    with pytest.raises(ValueError, match="k must"):
        k_occurrence(SCORES, k=0)


def test_the_share_of_the_top_by_hand() -> None:
    assert top_share(np.array([0, 1, 1, 6])) == 0.75
    assert top_share(np.array([2] * 100)) == 0.01
    assert top_share(np.array([4, 1, 3, 2]), share=0.5) == 0.7
    assert top_share(np.array([0, 0])) == 0.0
