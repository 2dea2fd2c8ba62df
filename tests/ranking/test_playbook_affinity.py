"""How well memories fit what a question's intent needs, worked out by hand."""

import numpy as np

from secondhop.ranking.playbook_affinity import (
    facet_affinity,
    facet_shares,
)


def test_what_is_near_to_questions_of_all_kinds_serves_no_facet_by_that() -> None:
    cosines = np.array([[0.6, 0.6, 0.0, 0.0]])  # z-scores 1, 1, -1, -1

    assert facet_affinity(cosines, np.zeros(4)).tolist() == [[1, 1, 0, 0]]
    hub = np.array([0.5, 0.0, 0.5, 0.0])  # z-scores 1, -1, 1, -1, of which half is taken
    assert facet_affinity(cosines, hub).tolist() == [[0.5, 1.5, 0, 0]]


def test_what_one_facet_wants_much_comes_before_what_two_want_a_little() -> None:
    shares = facet_shares(np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([0.5, 0.5]))

    assert shares.sum(axis=0).tolist() == [2.0, 1.0]
