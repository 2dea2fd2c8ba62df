"""How different results are: overlap of questions, distance within a list."""

import numpy as np
import pytest

from secondhop.evals.variety import cross_question_overlap, intra_list_distance


def test_five_of_six_shared_episodes_are_an_overlap_of_83_percent() -> None:
    found = cross_question_overlap({"a": list("123456"), "b": list("123457")})

    assert found is not None
    assert found.overlap == pytest.approx(5 / 6)
    assert found.jaccard == pytest.approx(5 / 7)
    assert found.pairs == 1


def test_the_mean_is_over_all_pairs_of_questions_that_got_something() -> None:
    found = cross_question_overlap({"a": ["1", "2"], "b": ["1"], "c": ["3"], "nothing": []})

    assert found is not None
    assert found.pairs == 3
    assert found.overlap == pytest.approx(1 / 3)
    assert found.jaccard == pytest.approx(1 / 6)


def test_one_question_has_nobody_to_overlap_with() -> None:
    assert cross_question_overlap({"a": ["1"], "b": []}) is None


def test_distance_is_the_mean_over_the_pairs_that_have_vectors() -> None:
    vectors = {
        name: np.array(row, dtype=np.float32)
        for name, row in {"a": (1, 0), "b": (0, 1), "c": (1, 0)}.items()
    }

    assert intra_list_distance(["a", "c"], vectors) == pytest.approx(0)
    assert intra_list_distance(["a", "b", "c", "gone"], vectors) == pytest.approx(2 / 3)
    assert intra_list_distance(["a", "gone"], vectors) is None
