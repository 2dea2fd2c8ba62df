"""Memories that share the undertaking of those that stand first."""

import numpy as np
import pytest

from secondhop.ranking.cue_affinity import shared_undertaking, undertaking_weights


def test_the_best_memory_says_what_is_being_undertaken() -> None:
    weights = undertaking_weights(np.array([9.0, 0.0, 0.0]), [["interview"], ["move"], ["bake"]])

    assert weights["interview"] > 0.9
    assert shared_undertaking(weights, ["bake", "interview"])[1] == "interview"
    assert shared_undertaking(weights, ["bake"])[0] < 0.05


def test_who_is_kept_for_many_things_is_kept_less_for_each() -> None:
    weights = undertaking_weights(np.array([1.0, 0.0]), [["interview"], ["move"]])

    alone, _ = shared_undertaking(weights, ["interview"])
    one_of_four, _ = shared_undertaking(weights, ["a", "b", "c", "interview"])

    assert one_of_four == pytest.approx(alone / 2)


def test_without_undertakings_nothing_is_shared() -> None:
    assert undertaking_weights(np.array([]), []) == {}
    assert undertaking_weights(np.array([1.0, 2.0]), [[], []]) == {}
    assert shared_undertaking({}, []) == (0.0, "")
