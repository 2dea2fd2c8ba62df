"""What asks for a preference: the question, or a facet that a planner planned for it."""

import pytest

from secondhop.nodes.selection.preferences import PlannedText, asked_by
from secondhop.nodes.state import Facet

LEAST = 0.35
QUESTION = "what was asked"


def facet(facet_id: str, *, hop: int = 2) -> Facet:
    return Facet(facet_id=facet_id, name=f"name of {facet_id}", why="", hop=hop, weight=1.0)


def planned(facet_id: str, *queries: str, hop: int = 2) -> PlannedText:
    return PlannedText(facet=facet(facet_id, hop=hop), queries=queries)


def test_a_context_that_the_question_is_near_to_needs_no_plan() -> None:
    near = {QUESTION: 0.35, "name of e1": 0.9, "q": 0.9}

    assert asked_by(near, [planned("e1", "q")], least=LEAST) == (0.35, None)


@pytest.mark.parametrize(("nearness", "hop", "asks"), [(0.5, 1, True), (0.5, 2, False)])
def test_what_the_question_names_may_be_less_near_than_what_a_plan_adds(
    nearness: float, hop: int, asks: bool
) -> None:
    near = {QUESTION: 0.2, "name of d1": nearness, "q": nearness}

    assert (asked_by(near, [planned("d1", "q", hop=hop)], least=LEAST) is not None) == asks
