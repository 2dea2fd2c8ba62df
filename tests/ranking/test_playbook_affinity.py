"""What a question's intent needs of memories, by hand."""

from math import exp

import numpy as np
import pytest

from secondhop.ranking.arrays import z_scores
from secondhop.ranking.playbook_affinity import (
    TEMPERATURE,
    facet_affinity,
    facet_shares,
    intent_weights,
    mean_of_two_best,
)


def test_an_intent_is_as_near_as_its_two_nearest_questions() -> None:
    near = mean_of_two_best(np.array([0.1, 0.9, 0.7, 0.5]), np.array([0, 0, 0, 1]), count=2)

    assert near.tolist() == pytest.approx([0.8, 0.5])  # the only one where there is one


def test_likelihoods_are_a_softmax_of_questions_and_half_of_the_name() -> None:
    weights = intent_weights(np.array([0.5, 0.5]), np.array([0, 1]), np.array([0.06, 0.0]))

    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] / weights[1] == pytest.approx(exp(0.03 / TEMPERATURE))


def test_what_is_near_to_questions_of_all_kinds_serves_no_facet_by_that() -> None:
    cosines = np.array([[0.6, 0.6, 0.0, 0.0]])  # z-scores 1, 1, -1, -1

    assert facet_affinity(cosines, np.zeros(4)).tolist() == [[1, 1, 0, 0]]
    hub = np.array([0.5, 0.0, 0.5, 0.0])  # z-scores 1, -1, 1, -1, of which half is taken
    assert facet_affinity(cosines, hub).tolist() == [[0.5, 1.5, 0, 0]]


def test_what_one_facet_wants_much_comes_before_what_two_want_a_little() -> None:
    shares = facet_shares(np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([0.5, 0.5]))

    assert shares.sum(axis=0).tolist() == [2.0, 1.0]


def test_scores_that_do_not_differ_say_nothing() -> None:
    assert z_scores(np.array([0.7, 0.7])).tolist() == [0, 0]
