"""Look-ups: the likeliest answers first, and only what answers as well goes before another."""

from dataclasses import replace
from typing import Any

import pytest
from tests.nodes.test_selection_rules import SETTINGS, picked, vote, voted, world_of

from secondhop.nodes.selection.lookup_ranking import (
    answering_for_themselves,
    asks_about_others,
    asks_for_an_event,
    asks_what_happened,
    likeliest_answer,
    likeliest_answers,
    replaced_last,
)
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.state import RecallState

SERVING_MORE = [[0.6, 0.0, 0.0], [0.5, 0.9, 0.9], [0.4, 0.8, 0.0]]
"""m0 stands first for the question itself; m1 serves every facet beside it."""


def looked_up(
    rows: list[list[float]],
    *,
    fused: list[float],
    question: str = "Which berth is ours?",
    **parts: Any,
) -> tuple[Pool, RecallState]:
    pool, state = world_of(rows, question=question, **parts)
    found = [one for one in pool.ids if "f0" in state["candidates"][one]["scores"]]
    for memory_id, value in zip(found, fused, strict=True):
        state["candidates"][memory_id]["scores"]["f0"]["fused"] = value
    return pool, {**state, "kind": "factual"}


def test_what_both_legs_find_first_for_a_look_up_comes_first() -> None:
    pool, state = looked_up(SERVING_MORE, fused=[0.03, 0.02, 0.01])

    assert picked(pool, state)[0] == "m0"
    assert picked(pool, {**state, "kind": "conceptual"})[0] == "m1"
    assert picked(pool, state, answer_first=False)[0] == "m1"
    assert set(picked(pool, state)) == {"m0", "m1", "m2"}


FOR_ITSELF_AND_FOR_FACETS = [
    [0.9, 0.0, 0.0],
    [0.5, 0.9, 0.0],
    [0.8, 0.0, 0.0],
    [0.36, 0.0, 0.9],
    [0.0, 0.9, 0.9],
]


def test_the_slots_of_a_look_up_follow_the_question_itself_and_not_the_facets() -> None:
    fused, little = [0.03, 0.01, 0.02, 0.015], [1.5, 0.4, 0.4]
    pool, state = looked_up(FOR_ITSELF_AND_FOR_FACETS, fused=fused, weights=little)

    assert picked(pool, state) == ["m0", "m2", "m3"]
    assert picked(pool, {**state, "k": 5}) == ["m0", "m2", "m3", "m1", "m4"]
    assert picked(pool, {**state, "kind": "conceptual"}) != ["m0", "m2", "m3"]


def test_facets_that_whoever_planned_gave_weight_keep_their_slots() -> None:
    fused, much = [0.03, 0.01, 0.02, 0.015], [1.5, 1.0, 1.0]
    pool, state = looked_up(FOR_ITSELF_AND_FOR_FACETS, fused=fused, weights=much)

    answer = picked(pool, state)
    assert answer[0] == "m0"
    assert "m4" in answer


def test_copies_of_an_answer_come_last() -> None:
    rows = [[0.9], [0.5], [0.8]]
    pool, state = looked_up(rows, fused=[0.03, 0.025, 0.01], directions=[0, 0, 1])

    assert picked(pool, state) == ["m0", "m2", "m1"]


def test_what_something_newer_seems_to_replace_comes_last() -> None:
    pool, _ = looked_up(SERVING_MORE, fused=[0.03, 0.02, 0.01])
    versions = replace(pool, replaced_by={"m0": "m1"})

    assert replaced_last(["m0", "m1", "m2"], versions) == ["m1", "m2", "m0"]
    assert replaced_last(["m0", "m2"], versions) == ["m0", "m2"]
    in_a_ring = replace(pool, replaced_by={"m0": "m1", "m1": "m0"})
    assert replaced_last(["m0", "m1", "m2"], in_a_ring) == ["m2", "m0", "m1"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which book did Ann recommend to Ben?", True),  # "recommend" alone asks for advice
        ("Why did the ferry not sail on Sunday?", True),
        ("Why does the pump stop?", False),
        ("How did I descale it?", False),
        ("Who did you say could help me, and what should I ask?", False),
        ("The pump was new. Why does it stop?", False),
        ("In March, at which yard did Ann buy the pump?", True),
        ("In March I was ill, and which yard did Ann go to?", False),
    ],
)
def test_what_happened_to_others_is_looked_up_whatever_kind_it_seems(
    question: str, *, told: bool
) -> None:
    assert asks_what_happened(question) is told

    pool, state = looked_up(SERVING_MORE, fused=[0.03, 0.02, 0.01], question=question)
    first = picked(pool, {**state, "kind": "conceptual"})[0]
    assert first == ("m0" if told else "m1")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How does Ann describe the ferry?", True),
        ("What advice does Gil give to Ann about sails?", True),
        ("Where have Ann and Gil sailed, and why?", True),
        ("Why does the pump stop?", False),  # a thing: how it works, and what to do about it
        ("What does Ann need on board?", False),
        ("What do Ann and Gil have to pack?", False),
        ("How does Ann set our sails?", False),
        ("What is Ann to do? The pump stops.", False),
        ("Does it matter that Ann is ill?", False),
        ("What do I tell Ann, and what can Gil do?", False),
    ],
)
def test_questions_about_somebody_who_is_named_are_look_ups(question: str, *, told: bool) -> None:
    assert asks_about_others(question) is told

    pool, state = looked_up(FOR_ITSELF_AND_FOR_FACETS, fused=[0.03, 0.01, 0.02, 0.015])
    picks = picked(pool, {**state, "question": question, "kind": "conceptual"})
    assert (picks == ["m0", "m2", "m3"]) is told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When was Ann in Paris?", True),
        ("In May, how was the crossing?", True),
        ("What did Ann win?", True),
        ("Which was the code of the gate?", False),
        ("When does Ann sail?", False),
        ("Where did we leave the keys?", False),
    ],
)
def test_an_event_is_what_others_did_or_met_with_once(question: str, *, told: bool) -> None:
    assert asks_for_an_event(question) is told


def test_a_vote_against_the_likeliest_answer_stands() -> None:
    pool, state = looked_up(SERVING_MORE, fused=[0.03, 0.02, 0.01])

    assert "m0" not in picked(pool, voted(state, vote("m0", "cold", facets=())))


def test_what_lies_below_the_threshold_is_no_answer() -> None:
    pool, _ = looked_up([[0.3, 0.5], [0.2, 0.9]], fused=[0.03, 0.02])

    assert likeliest_answer(pool, pool.relevance, min_score=0.35) == []
    assert likeliest_answer(pool, pool.relevance, min_score=0.25) == ["m0"]
    assert likeliest_answer(pool, 0 * pool.relevance, min_score=0.0) == ["m0"]


def test_what_a_memory_itself_adds_counts_between_those_that_are_found_as_well() -> None:
    near, _ = looked_up([[0.5], [0.5]], fused=[0.0200, 0.0197])
    apart, _ = looked_up([[0.5], [0.5]], fused=[0.0200, 0.0180])
    left = near.relevance.copy()
    left[0] *= 0.9

    assert likeliest_answer(near, left, min_score=0.35) == ["m1"]
    assert likeliest_answer(apart, left, min_score=0.35) == ["m0"]


@pytest.mark.parametrize(
    ("newer", "question", "first"),
    [
        (0.5, "Which berth is ours?", "m0"),  # the newer note hardly speaks of it
        (0.75, "Which berth is ours?", "m1"),  # it answers nearly as well
        (0.75, "When did Ann change the berth?", "m0"),  # what happened once has no versions
        (0.8, "When did Ann change the berth?", "m1"),  # unless it is told afresh
        (0.75, "What was the code of the berth?", "m1"),
        (0.5, "Which berth is ours now?", "m2"),  # how it stands: the newer is believed
        (0.5, "What is the current berth?", "m2"),
    ],
)
def test_a_memory_yields_where_its_successor_answers_about_as_well(
    newer: float, question: str, first: str
) -> None:
    rows = [[0.8, 0.8], [newer, 0.7], [0.65, 0.65]]
    pool, state = looked_up(rows, fused=[0.03, 0.02, 0.01], directions=[0, 0, 1], question=question)
    assert pool.replaced_by == {"m0": "m1"}

    assert picked(pool, state, recency="never")[0] == first


def test_a_pool_without_the_questions_own_ranking_is_left_as_it_is() -> None:
    pool, _ = looked_up(SERVING_MORE, fused=[0.0, 0.0, 0.0])
    nameless = replace(pool, facet_ids=["e1", "e2", "e3"])

    assert answering_for_themselves(nameless, "Which berth is ours?") is nameless
    assert likeliest_answer(nameless, pool.relevance, min_score=SETTINGS.min_score) == []
    assert likeliest_answers(nameless, pool.relevance, pool.relevance, settings=SETTINGS) == []
