"""Why a memory came or left: the votes that are named, by where the memory comes from."""

from collections.abc import Sequence
from typing import Any, cast

from tests.nodes.cast_votes import by_voter, vote
from tests.nodes.selection.test_selection_rules import candidate

from secondhop.nodes.changes import changes_since
from secondhop.nodes.session_state import Branch, Change, SessionState
from secondhop.nodes.state import Facet, FeedbackRef, Pick, Query, Vote


def second_round(*votes: Vote, bent_by: Sequence[str] = (), origin: Any = "refine") -> SessionState:
    """The answer had "old"; now "new" stands, found by a query that these memories bent."""
    query = Query(
        query_id="q",
        facet_id="f0",
        text="?",
        hop=1,
        round=2,
        origin=origin,
        feedback=[
            FeedbackRef(memory_id=one, passage_ids=[one], vote="hot", round=1) for one in bent_by
        ],
    )
    state: dict[str, Any] = {
        "round": 2,
        "shown": {"1": {"old": ""}},
        "queries": {"q": query},
        "facets": {
            "f0": Facet(facet_id="f0", name="the plan", why="", hop=1, weight=1),
            "s1.1": Facet(facet_id="s1.1", name="sparked", why="", hop=2, weight=0.5),
        },
        "candidates": {one: candidate(one, [0.9], [1], day=1) for one in ("new", "old", "led")},
        "votes": by_voter(votes),
        "sparks": {"s1.1": "old"},
    }
    return cast(SessionState, state)


def changed(state: SessionState, *branches: Branch) -> dict[str, Change]:
    """The changes by memory, when "new" is the answer."""
    pick: dict[str, Any] = {"memory_id": "new", "facet_id": "f0"}
    found = changes_since(state, [cast(Pick, pick)], branches)
    return {change["memory_id"]: change for change in found}


def because(change: Change) -> list[tuple[str, str, str, int]]:
    return [(one["memory_id"], one["vote"], one["by"], one["round"]) for one in change["because"]]


def test_what_a_bent_query_found_is_there_because_of_the_votes_that_bent_it() -> None:
    state = second_round(
        vote("a", "hot", by="agent"),
        vote("b", "warm"),
        vote("c", "hot"),
        vote("d", "cold"),
        bent_by=["a", "b", "d"],
    )

    new = changed(state)["new"]

    assert because(new) == [("a", "hot", "agent", 1), ("b", "warm", "person", 1)]
    assert new["why"] == "Found for “the plan”, bent by these votes."


def test_what_moves_up_is_there_because_of_the_votes_that_made_room() -> None:
    state = second_round(vote("old", "cold"), vote("a", "hot"), vote("b", "cold", by="critic"))

    changes = changed(state)

    for change in changes.values():
        assert because(change) == [("old", "cold", "person", 1)]
    assert changes["new"]["why"] == "Next for “the plan”; these votes made room."
    assert changes["old"]["why"] == "Voted cold by the person."


def test_what_the_critic_asked_for_is_there_because_of_no_vote() -> None:
    new = changed(second_round(vote("old", "cold"), origin="evidence"))["new"]

    assert (new["because"], new["why"]) == (
        [],
        "Found for “the plan”, which the critic asked for.",
    )


def test_what_a_spark_led_to_is_there_because_of_the_spark() -> None:
    state = second_round(vote("old", "spark"), vote("a", "hot"))
    lateral: Any = {**state["queries"]["q"], "origin": "spark"}
    lateral["feedback"] = [
        FeedbackRef(memory_id="old", passage_ids=["old"], vote="hot", round=1),
    ]
    state["queries"]["s"] = lateral
    scores = state["candidates"]["led"]["scores"]
    scores["s1.1"] = {**scores["f0"], "query_ids": ["s"]}
    branch = Branch(facet_id="s1.1", sparked_by="old", memory_ids=["led"])

    led = changed(state, branch)["led"]

    assert because(led) == [("old", "spark", "person", 1)]
    assert (led["branch"], led["why"]) == ("s1.1", "Found on the way that old sparked.")


def test_what_others_pushed_out_left_because_of_the_votes_for_them() -> None:
    old = changed(second_round(vote("a", "hot"), vote("b", "cold")))["old"]

    assert because(old) == [("a", "hot", "person", 1)]
    assert old["why"] == "Others took its place."
