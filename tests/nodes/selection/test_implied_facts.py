"""Facts that the plan means are given though the question is far from them, and they alone."""

from typing import cast

from tests.nodes.selection.test_selection_rules import SETTINGS, picked, vote, world_of

from secondhop.nodes.planning.implied_facts import ORIGIN as IMPLIED
from secondhop.nodes.selection.best_answer import best_answer
from secondhop.nodes.state import Query, RecallState

FAR_FROM_THE_QUESTION = [[0.01, 0.7], [0.02, 0.9], [0.0, 0.1]]


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


def test_an_implied_fact_is_given_where_nothing_is_near_the_question() -> None:
    pool, state = world_of(FAR_FROM_THE_QUESTION)
    implied = asked_for("m0", "f1", state, origin=IMPLIED)

    assert picked(pool, state) == []
    assert picked(pool, implied) == ["m0"]
    (pick,) = best_answer(pool, implied, settings=SETTINGS).picks
    assert pick["facet_id"] == "f1"


def test_an_implied_fact_that_was_voted_out_is_not_given() -> None:
    pool, state = world_of(FAR_FROM_THE_QUESTION)
    implied = asked_for("m0", "f1", state, origin=IMPLIED)

    assert picked(pool, {**implied, "votes": {"1": vote("m0", "wrong")}}) == []


def test_a_reader_who_chose_nothing_is_not_overruled_by_an_implied_fact() -> None:
    pool, state = world_of(FAR_FROM_THE_QUESTION)
    implied = asked_for("m0", "f1", state, origin=IMPLIED)

    assert picked(pool, {**implied, "votes": {"1": vote("m1", "cold", place=0)}}) == []
