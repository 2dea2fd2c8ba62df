"""What an answer says about its facets."""

from typing import cast

from secondhop.nodes.resolve import facet_outcomes
from secondhop.nodes.state import Facet, RecallState


def facet(facet_id: str, name: str) -> Facet:
    return Facet(facet_id=facet_id, name=name, why="", hop=2, weight=1.0)


def test_a_facet_is_empty_when_nothing_is_near_it_and_nothing_returned_serves_it() -> None:
    facets = {"e1": facet("e1", "what to wear"), "e2": facet("e2", "references")}
    state = cast(RecallState, {"facets": facets, "candidates": {}})
    blazer = {"id": "blazer", "facets": ["what to wear"]}  # there by a vote: its score is low

    outcomes = facet_outcomes(state, [blazer], min_score=0.35)

    assert [(one["name"], one["covered_by"], one["empty"]) for one in outcomes] == [
        ("what to wear", ["blazer"], False),
        ("references", [], True),
    ]
