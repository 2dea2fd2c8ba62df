"""Facts that the plan asks for by name are returned even if the question is far from them."""

from typing import cast

from tests.nodes.selection.test_selection_rules import SETTINGS, picked, vote, world_of

from secondhop.nodes.selection.slots import best_answer
from secondhop.nodes.state import FACT_ASKED, Query, RecallState

FAR_FROM_THE_QUESTION = [[0.001, 0.7], [0.002, 0.9], [0.0, 0.1]]


def asked_for(memory_id: str, facet_id: str, state: RecallState, *, origin: str) -> RecallState:
    query = Query(
        query_id="kq1",
        facet_id=facet_id,
        text="The phone number of my landlord",
        hop=2,
        round=1,
        origin=origin,
        feedback=[],
        memory_ids=[memory_id],
    )
    return cast(RecallState, {**state, "queries": {"kq1": query}})


def test_a_fact_that_the_plan_asks_for_is_given_where_nothing_is_near_the_question() -> None:
    pool, state = world_of(FAR_FROM_THE_QUESTION)
    asked = asked_for("m0", "f1", state, origin=FACT_ASKED)

    assert picked(pool, state) == []
    assert picked(pool, asked) == ["m0"]
    (pick,) = best_answer(pool, asked, settings=SETTINGS).picks
    assert pick["facet_id"] == "f1"


def test_a_fact_that_the_plan_asks_for_that_was_voted_out_is_not_given() -> None:
    pool, state = world_of(FAR_FROM_THE_QUESTION)
    asked = asked_for("m0", "f1", state, origin=FACT_ASKED)

    assert picked(pool, {**asked, "votes": {"1": vote("m0", "wrong")}}) == []


def test_a_reader_who_chose_nothing_is_not_overruled_by_a_fact_that_the_plan_asks_for() -> None:
    pool, state = world_of(FAR_FROM_THE_QUESTION)
    asked = asked_for("m0", "f1", state, origin=FACT_ASKED)

    assert picked(pool, {**asked, "votes": {"1": vote("m1", "cold", place=0)}}) == []
