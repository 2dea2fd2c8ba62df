"""Gold beyond the question's own reach."""

from tests.evals.labelled import labelled

from secondhop.evals.second_hop import SecondHop, second_hop

QUESTION = labelled(
    {"near": 3, "far": 2, "marginal": 1},
    {"dark-1": 3, "dark-2": 2},
    {"old": 3, "new": 2},
    stale={"old": "new"},
)


def test_gold_beyond_reach_is_counted_and_what_of_it_came_back() -> None:
    found = second_hop(QUESTION, ["dark-2", "near", "old"], reach=["near", "new"])

    assert found == SecondHop(facets=1, facets_found=1, memories=3, memories_found=1)
    assert found.share == 1 / 3
    assert found.facet_share == 1.0


def test_when_all_gold_is_within_reach_there_is_no_share() -> None:
    found = second_hop(QUESTION, ["near"], reach=["near", "far", "dark-1", "dark-2", "new"])

    assert (found.memories, found.facets) == (0, 0)
    assert found.share is None
    assert found.facet_share is None


def test_questions_add_up() -> None:
    one = SecondHop(facets=1, facets_found=1, memories=2, memories_found=1)

    assert one + one == SecondHop(facets=2, facets_found=2, memories=4, memories_found=2)
