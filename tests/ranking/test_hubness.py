"""Hubs, found and corrected."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.arrays import Floats, Indices, unit_rows
from secondhop.ranking.hubness import (
    bank_mean_topk,
    hub_corrected,
)

seeds = st.integers(0, 2**32 - 1)

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


@given(seeds)
def test_the_correction_makes_planted_hubs_rarer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=24) * 0.8
    queries = unit_rows(centre + rng.normal(size=(120, 24)))
    memories = unit_rows(centre + rng.normal(size=(60, 24)))
    memories[:3] = unit_rows(centre)
    bank, asked = queries[:60], queries[60:]
    scores = (asked @ memories.T).astype(np.float64)
    near = bank_mean_topk(bank @ memories.T)
    corrected = hub_corrected(scores, near, usual=float(near.mean()))
    assert times_found(corrected)[:3].sum() < times_found(scores)[:3].sum()


def times_found(scores: Floats) -> Indices:
    """How many questions have each memory among their best 5."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :5]
    return np.bincount(best.ravel(), minlength=scores.shape[1])


def test_input_that_cannot_be_is_refused() -> None:
    empty = np.zeros((0, 3))
    with pytest.raises(ValueError, match="bank"):
        bank_mean_topk(empty)
