"""Votes of people and agents: which one counts, and what it keeps, bends and removes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.nodes.cast_votes import by_voter, vote
from tests.nodes.selection.test_selection_rules import SETTINGS, world_of

from secondhop.nodes.reconsider import refined_queries
from secondhop.nodes.selection.negative_feedback import not_like_the_refused
from secondhop.nodes.selection.relevance import last_votes
from secondhop.nodes.selection.slots import best_answer
from secondhop.nodes.state import Query, RecallState, Vote
from secondhop.ranking.votes import VoteName

ROWS = [[0.9, 0.0], [0.8, 0.0], [0.5, 0.6], [0.4, 0.5], [0.36, 0.0]]


def voted(state: RecallState, *votes: Vote) -> RecallState:
    return {**state, "votes": by_voter(votes), "k": 2}


@given(st.permutations([("m0", "hot"), ("m1", "warm"), ("m2", "cold"), ("m0", "warm")]))
def test_the_order_of_the_critics_votes_of_one_round_and_others_does_not_matter(
    order: list[tuple[str, VoteName]],
) -> None:
    _, state = world_of(ROWS)
    votes = [
        vote(memory_id, name, by="critic" if name == "warm" else "person")
        for memory_id, name in order
    ]

    newest = last_votes(voted(state, *votes))

    assert {one: found["vote"] for one, found in newest.items()} == {
        "m0": "hot",
        "m1": "warm",
        "m2": "cold",
    }


def test_hot_stays_before_warm_and_both_before_everything_else() -> None:
    pool, state = world_of(ROWS)
    said = voted(state, vote("m4", "warm"), vote("m3", "hot"), vote("m0", "cold"))

    answer = best_answer(pool, said, settings=SETTINGS)

    ids = [pick["memory_id"] for pick in answer.picks]
    assert ids[:2] == ["m3", "m4"]
    assert set(ids[2:]) == {"m1", "m2"}


def test_a_kept_memory_closes_the_facet_it_serves_best() -> None:
    pool, state = world_of([[0.9, 0.0], [0.85, 0.0], [0.0, 0.5], [0.4, 0.0]])

    plain = best_answer(pool, {**state, "k": 1}, settings=SETTINGS)
    said = voted(state, vote("m3", "hot"))
    after = best_answer(pool, {**said, "k": 1}, settings=SETTINGS)

    assert [pick["memory_id"] for pick in plain.picks] == ["m0"]
    assert [pick["memory_id"] for pick in after.picks] == ["m3", "m2"]


def test_a_persons_hot_brings_in_what_lies_below_the_threshold() -> None:
    pool, state = world_of([[0.9], [0.3]])

    answer = best_answer(pool, voted(state, vote("m1", "hot")), settings=SETTINGS)

    assert [pick["memory_id"] for pick in answer.picks] == ["m1", "m0"]


def test_what_is_like_a_refused_memory_yields_where_nothing_was_voted_for() -> None:
    pool, _ = world_of([[0.9, 0.1], [0.8, 0.1], [0.7, 0.1]], directions=[0, 0, 1])
    rows = {memory_id: row for row, memory_id in enumerate(pool.ids)}

    factors = not_like_the_refused(pool, {"m0": vote("m0", "cold")})
    wrong = not_like_the_refused(pool, {"m0": vote("m0", "wrong")})

    assert factors[rows["m1"]].tolist() == pytest.approx([0.7, 1.0])
    assert factors[rows["m2"]].tolist() == [1.0, 1.0]
    assert wrong[rows["m1"], 0] == pytest.approx(0.4)


def with_query(state: RecallState, facet_id: str) -> RecallState:
    query = Query(
        query_id="q",
        facet_id=facet_id,
        text="what helps",
        hop=1,
        round=1,
        origin="question",
        feedback=[],
    )
    return {**state, "queries": {"q": query}, "round": 1}


def test_votes_that_only_repeat_the_ranking_bend_nothing() -> None:
    _, state = world_of(ROWS)
    said = voted(with_query(state, "f0"), vote("m0", "hot", by="critic"), vote("m1", "cold"))

    assert refined_queries("f0", list(last_votes(said).values()), said) == []
