"""Votes of people and agents: which counts, what it keeps, bends and takes away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.nodes.cast_votes import by_voter, vote
from tests.nodes.selection.test_selection_rules import SETTINGS, world_of

from secondhop.nodes.reconsider import refined_queries
from secondhop.nodes.selection.best_answer import best_answer
from secondhop.nodes.selection.eligibility import last_votes
from secondhop.nodes.selection.negative_feedback import not_like_the_refused
from secondhop.nodes.state import Query, RecallState, Vote, VoteName

ROWS = [[0.9, 0.0], [0.8, 0.0], [0.5, 0.6], [0.4, 0.5], [0.36, 0.0]]


def voted(state: RecallState, *votes: Vote) -> RecallState:
    return {**state, "votes": by_voter(votes), "k": 2}


def test_an_outside_vote_stands_against_every_later_vote_of_the_critic() -> None:
    _, state = world_of(ROWS)

    newest = last_votes(
        voted(state, vote("m0", "cold"), vote("m0", "hot", by="critic", round_number=3))
    )

    assert newest["m0"]["vote"] == "cold"


def test_the_newest_outside_vote_counts_and_in_one_round_the_persons() -> None:
    _, state = world_of(ROWS)

    newest = last_votes(
        voted(
            state,
            vote("m0", "cold", by="person"),
            vote("m0", "hot", by="agent"),
            vote("m1", "cold", by="person"),
            vote("m1", "hot", by="agent", round_number=2),
        )
    )

    assert (newest["m0"]["vote"], newest["m1"]["vote"]) == ("cold", "hot")


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


def test_a_facet_is_bent_by_outside_votes_on_its_memories_and_told_whose_they_are() -> None:
    _, state = world_of(ROWS)
    said = voted(with_query(state, "f0"), vote("m0", "hot"), vote("m1", "cold"), vote("m2", "warm"))

    (query,) = refined_queries("f0", list(last_votes(said).values()), said)

    assert {(ref.get("memory_id"), ref["vote"]) for ref in query["feedback"]} == {
        ("m0", "hot"),
        ("m1", "cold"),
    }
