"""Facts that the plan means are given though the question is far from them, and they alone."""

from dataclasses import replace
from typing import cast

import pytest
from tests.nodes.test_selection_rules import SETTINGS, picked, vote, world_of

from secondhop.nodes.planning.fact_lookup import ORIGIN, OWN_FACET
from secondhop.nodes.planning.implied_facts import ORIGIN as IMPLIED
from secondhop.nodes.selection.best_answer import best_answer
from secondhop.nodes.selection.lookup_ranking import asks_for_nothing_else
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.state import Query, QuestionKind, RecallState

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


def looked_up(*, kind: QuestionKind, question: str) -> tuple[Pool, RecallState]:
    """m0 is the fact; m1 holds a word of the question, m2 says a word of the fact, m3 neither."""
    pool, state = world_of([[0.99], [0.5], [0.5], [0.5]], question=question)
    texts = {
        "m0": ["The phone number of my landlord is 0117 496."],
        "m1": ["It rang."],
        "m2": ["0117 is the code of the town."],
        "m3": ["The bike wants oil."],
    }
    state["candidates"]["m1"]["scores"]["f0"]["lexical"] = 0.4
    asked = asked_for("m0", f"{OWN_FACET}1", state, origin=ORIGIN)
    return replace(pool, texts=texts), {**asked, "kind": kind, "k": 4}


NAMED = "What is my landlord's phone number?"


def test_beside_the_value_that_a_look_up_names_only_what_speaks_of_it_is_given() -> None:
    pool, state = looked_up(kind="factual", question=NAMED)

    answer = best_answer(pool, state, settings=SETTINGS)
    assert {one["memory_id"] for one in answer.picks} == {"m0", "m1", "m2"}
    assert set(answer.beside) == {"m3"}


@pytest.mark.parametrize(
    ("kind", "question"),
    [("conceptual", NAMED), ("factual", "Which phone number did my landlord have in Ghent?")],
)
def test_who_asks_for_more_than_the_value_gets_more(kind: QuestionKind, question: str) -> None:
    pool, state = looked_up(kind=kind, question=question)

    assert set(picked(pool, state)) == {"m0", "m1", "m2", "m3"}


def test_a_memory_that_a_person_voted_for_stays_beside_the_value() -> None:
    pool, state = looked_up(kind="factual", question=NAMED)
    liked = {**vote("m3", "warm"), "by": "person"}

    answer = best_answer(
        pool, cast(RecallState, {**state, "votes": {"1": liked}}), settings=SETTINGS
    )
    assert "m3" in {one["memory_id"] for one in answer.picks}


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("Who is my employer?", True),
        ("What is my current employer called?", False),
        ("Who is my current employer?", True),
        ("What notice must I give my employer?", False),
    ],
)
def test_every_word_of_the_question_must_be_in_the_name(question: str, alone: bool) -> None:
    assert asks_for_nothing_else(question, "The employer of me") is alone
