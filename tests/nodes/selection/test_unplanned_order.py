"""Look-ups without a plan: the order of hybrid search, with copies and replaced memories last."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from tests.nodes.selection.test_selection_rules import picked, vote, voted, world_of

from secondhop.nodes.planning.fact_lookup import OWN_FACET
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.slots import (
    close_to_one_ahead,
    unplanned_order,
)
from secondhop.nodes.state import FACT_NAMED, RecallState, Vote

THREE = [[0.6], [0.5], [0.4]]


def looked_up(
    rows: list[list[float]], *, fused: list[float], **parts: Any
) -> tuple[Pool, RecallState]:
    """A look-up without a plan; `fused`: the scores of m0, m1, … in hybrid search."""
    pool, state = world_of(rows, question="Which berth is ours?", **parts)
    found = [one for one in state["candidates"] if "f0" in state["candidates"][one]["scores"]]
    for memory_id, value in zip(found, fused, strict=True):
        state["candidates"][memory_id]["scores"]["f0"]["fused"] = value
    return pool, {**state, "kind": "factual", "queries": {}}


def asked(origin: str, **more: Any) -> Any:
    return {"origin": origin, "facet_id": "f0", **more}


def order_of(pool: Pool, state: RecallState) -> list[str]:
    factors = np.ones((len(pool.ids), len(pool.facet_ids)))
    return unplanned_order(pool, pool.relevance, factors, state)


def test_a_look_up_keeps_the_order_of_hybrid_search() -> None:
    pool, state = looked_up([[0.6], [0.5], [0.2]], fused=[0.01, 0.02, 0.03])

    assert order_of(pool, state) == picked(pool, state) == ["m2", "m1", "m0"]


def test_what_says_little_about_the_question_comes_last_behind_what_seems_replaced() -> None:
    pool, state = looked_up([[0.6], [0.5], [0.01]], fused=[0.01, 0.02, 0.03])

    assert order_of(replace(pool, replaced_by={"m0": "m1"}), state) == ["m1", "m0", "m2"]
    assert picked(pool, state) == ["m1", "m0", "m2"]


def test_what_votes_and_the_memory_itself_make_of_relevance_counts() -> None:
    pool, state = looked_up(THREE, fused=[0.03, 0.029, 0.01])

    halves = np.array([[0.5], [1.0], [1.0]])
    assert unplanned_order(pool, pool.relevance, halves, state) == ["m1", "m0", "m2"]
    assert "m0" not in picked(pool, voted(state, vote("m0", "cold", facets=())))


def test_what_a_person_voted_for_stays_though_the_question_itself_does_not_find_it() -> None:
    pool, state = looked_up([[0.6, 0.0], [0.0, 0.5]], fused=[0.02])
    liked = {**vote("m1", "hot", facets=("f1",)), "by": "person"}

    assert picked(pool, state) == ["m0"]
    assert picked(pool, voted(state, cast(Vote, liked))) == ["m1", "m0"]


def test_of_several_questions_the_answer_to_one_comes_before_what_is_first_for_another() -> None:
    pool, state = looked_up(THREE, fused=[0.01, 0.02, 0.03])
    several = {"q0": asked("question"), "q1": asked("question"), "q2": asked("question")}

    assert order_of(pool, {**state, "queries": several}) == ["m0", "m1", "m2"]


def test_a_fact_that_the_question_names_comes_first() -> None:
    pool, state = looked_up(THREE, fused=[0.03, 0.02, 0.01])
    named = {"kq1": {**asked(FACT_NAMED, memory_ids=["m2"]), "facet_id": f"{OWN_FACET}1"}}

    assert order_of(pool, cast(RecallState, {**state, "queries": named})) == ["m2", "m0", "m1"]


def test_copies_of_what_stands_ahead_come_last() -> None:
    pool, state = looked_up(THREE, fused=[0.03, 0.025, 0.01], directions=[0, 0, 1])

    order = order_of(replace(pool, replaced_by={}), state)
    assert order == ["m0", "m1", "m2"]
    assert close_to_one_ahead(order, pool, limit=0.8) == {"m1": "m0"}


def test_what_something_newer_seems_to_replace_comes_last() -> None:
    pool, state = looked_up(THREE, fused=[0.03, 0.02, 0.01])

    assert order_of(replace(pool, replaced_by={"m0": "m1"}), state) == ["m1", "m2", "m0"]
    assert order_of(replace(pool, replaced_by={"m0": "gone"}), state) == ["m0", "m1", "m2"]


def test_a_newer_note_replaces_an_older_one_only_where_it_answers_about_as_well() -> None:
    for newer, order in ((0.3, ["m0", "m1"]), (0.5, ["m1", "m0"])):
        pool, state = looked_up([[0.6], [newer]], fused=[0.02, 0.01], directions=[0, 0])
        assert pool.replaced_by == {"m0": "m1"}
        assert picked(pool, state) == order


def test_what_is_close_to_another_comes_before_what_says_little_and_what_is_outdated() -> None:
    for last, outdated in ((0.01, {}), (0.5, {"outdated_by": "m0"})):
        rows = [[0.6], [0.3], [last]]
        pool, state = looked_up(rows, fused=[0.03, 0.01, 0.02], directions=[0, 0, 1])
        cast(dict[str, Any], state["candidates"]["m2"]).update(outdated)

        assert picked(pool, state) == ["m0", "m1", "m2"]
