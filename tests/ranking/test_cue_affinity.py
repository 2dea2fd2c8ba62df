"""How well memories' cues fit a question, worked out by hand."""

import numpy as np
import pytest

from secondhop.ranking.cue_affinity import (
    HUB_SHARE,
    bent_from,
    cue_affinity,
    shared_undertaking,
    undertaking_weights,
)


def test_searching_with_the_moved_vector_takes_what_cues_share_with_everyday_questions() -> None:
    query = np.array([[0.6, 0.8]], dtype=np.float32)
    background = np.array([[1.0, 0.0]], dtype=np.float32)
    cues = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)

    moved, lengths = bent_from(query, background)

    by_hand = cues @ query[0] - HUB_SHARE * (cues @ background[0])
    assert lengths[0] * (cues @ moved[0]) == pytest.approx(by_hand)
    assert np.linalg.norm(moved[0]) == pytest.approx(1.0)


def test_two_specific_cues_count_and_one_broad_one() -> None:
    found = cue_affinity(
        np.array([0, 0, 1, 0, 0]),
        np.array([False, True, False, False, True]),
        np.array([0.9, 0.8, 0.7, 0.5, 0.4]),
        count=2,
        complete=True,
    )

    assert found.specific.tolist() == pytest.approx([0.7, 0.7])  # a memory's only cue counts alone
    assert found.broad.tolist() == pytest.approx([0.8, 0.8])  # without a broad cue: the middle
    assert found.best.tolist() == [0, 2]


def test_a_memory_with_broad_cues_alone_stands_in_the_middle_by_specific_ones() -> None:
    found = cue_affinity(
        np.array([0, 1, 2]),
        np.array([True, False, False]),
        np.array([0.9, 0.6, 0.2]),
        count=3,
        complete=True,
    )

    assert found.specific.tolist() == pytest.approx([0.4, 0.6, 0.2])
    assert found.nearest[0] == pytest.approx(0.2)  # nothing specific was stored for the question


def test_cues_that_were_not_found_are_as_far_as_the_last_that_was() -> None:
    found = cue_affinity(
        np.array([0, 1]),
        np.array([False, True]),
        np.array([0.9, 0.3]),
        count=2,
        complete=False,
    )

    assert found.specific.tolist() == pytest.approx([0.6, 0.3])
    assert found.broad.tolist() == pytest.approx([0.3, 0.3])


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
