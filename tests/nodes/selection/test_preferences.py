"""What asks for a preference: the question, or a facet that somebody planned for it."""

from typing import Any, cast

import pytest
from tests.fakes import ScriptedPlanner
from tests.small_world import SmallWorld

from secondhop.nodes.selection.preferences import PlannedText, asked_by, facets_that_ask
from secondhop.nodes.state import DIRECT, Facet, Query, RecallState

LEAST = 0.35
QUESTION = "what was asked"


def facet(facet_id: str, *, hop: int = 2) -> Facet:
    return Facet(facet_id=facet_id, name=f"name of {facet_id}", why="", hop=hop, weight=1.0)


def planned(facet_id: str, *queries: str, hop: int = 2) -> PlannedText:
    return PlannedText(facet=facet(facet_id, hop=hop), queries=queries)


def query(text: str, facet_id: str, origin: str) -> Query:
    return Query(
        query_id=text, facet_id=facet_id, text=text, hop=2, round=1, origin=origin, feedback=[]
    )


def test_a_context_that_the_question_is_near_to_needs_no_plan() -> None:
    near = {QUESTION: 0.35, "name of e1": 0.9, "q": 0.9}

    assert asked_by(near, [planned("e1", "q")], least=LEAST) == (0.35, None)


def test_a_facet_asks_by_its_name_and_the_best_of_its_queries() -> None:
    near = {QUESTION: 0.1, "name of e1": 0.9, "far": 0.2, "near": 0.75}

    asked = asked_by(near, [planned("e1", "far", "near")], least=LEAST)

    assert asked == (0.75, {"facet_id": "e1", "query": "near"})


@pytest.mark.parametrize(("name", "text"), [(0.95, 0.6), (0.6, 0.95), (0.69, 0.69)])
def test_name_or_query_alone_ask_for_nothing(name: float, text: float) -> None:
    near = {QUESTION: 0.3, "name of e1": name, "q": text}

    assert asked_by(near, [planned("e1", "q")], least=LEAST) is None


@pytest.mark.parametrize(("nearness", "hop", "asks"), [(0.5, 1, True), (0.5, 2, False)])
def test_what_the_question_names_may_be_less_near_than_what_a_plan_adds(
    nearness: float, hop: int, asks: bool
) -> None:
    near = {QUESTION: 0.2, "name of d1": nearness, "q": nearness}

    assert (asked_by(near, [planned("d1", "q", hop=hop)], least=LEAST) is not None) == asks


def test_of_two_facets_the_nearer_one_is_told() -> None:
    near = {QUESTION: 0.0, "name of e1": 0.8, "a": 0.8, "name of e2": 0.9, "b": 0.9}

    asked = asked_by(near, [planned("e1", "a"), planned("e2", "b")], least=LEAST)

    assert asked == (0.9, {"facet_id": "e2", "query": "b"})


def state_of(**more: Any) -> RecallState:
    facets = {one: facet(one) for one in (DIRECT, "d1", "e1", "h1")}
    return cast(RecallState, {"question": QUESTION, "facets": facets, **more})


ASKED = [
    query("reworded", DIRECT, "decompose"),
    query("part", "d1", "decompose"),
    query("implied", "e1", "expand"),
    query("implied, too", "e1", "expand"),
    query("hook", "h1", "learned"),
]


def test_facets_of_a_plan_ask_and_rewordings_and_hooks_do_not(world: SmallWorld) -> None:
    services = world.services(planner=ScriptedPlanner())

    asking = facets_that_ask(state_of(), ASKED, services=services)

    assert [(one.facet["facet_id"], list(one.queries)) for one in asking] == [
        ("d1", ["part"]),
        ("e1", ["implied", "implied, too"]),
    ]
