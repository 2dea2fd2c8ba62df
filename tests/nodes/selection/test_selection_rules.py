"""What is shown to a critic, whose order counts, and how far age and likeness lower a score."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes import NOW

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.pick import REFUSED, unanswered
from secondhop.nodes.selection.answerable import answerable
from secondhop.nodes.selection.pool import Pool, pool_of
from secondhop.nodes.selection.relevance import recency as recency_column
from secondhop.nodes.selection.scale import ModelScale
from secondhop.nodes.selection.shortlist import draw_shortlist
from secondhop.nodes.selection.slots import best_answer
from secondhop.nodes.state import (
    Candidate,
    CueHits,
    Facet,
    FacetScore,
    Hits,
    QuestionKind,
    Ranking,
    RecallState,
    Vote,
)
from secondhop.ranking.calibration import LogisticCalibration
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.votes import VoteName

SCALE = ModelScale(calibration=LogisticCalibration(slope=12.0, intercept=-4.2))
SETTINGS = RankingSettings()


def candidate(memory_id: str, row: Sequence[float], ranks: Sequence[int], day: int) -> Candidate:
    scores = {
        f"f{column}": FacetScore(
            rank=ranks[column],
            fused=0.0,
            relevance=relevance,
            dense=relevance,
            lexical=0.0,
            passage_ids=[memory_id],
            query_ids=["q"],
            passage_scores=[relevance],
        )
        for column, relevance in enumerate(row)
        if relevance > 0
    }
    return Candidate(
        memory_id=memory_id,
        title=memory_id,
        source="note",
        created_at=f"2025-0{day}-01T00:00:00+00:00",
        first_round=1,
        score=max(row),
        scores=scores,
    )


def world_of(
    rows: Sequence[Sequence[float]],
    *,
    weights: Sequence[float] | None = None,
    directions: Sequence[int] | None = None,
    question: str = "What helps?",
) -> tuple[Pool, RecallState]:
    """Candidates m0, m1, …, later ones newer; those with the same direction say the same thing."""
    relevance = np.array(rows, dtype=float)
    order = np.argsort(np.argsort(-relevance, axis=0, kind="stable"), axis=0) + 1
    candidates = {
        f"m{n}": candidate(f"m{n}", row, order[n].tolist(), day=1 + n % 9)
        for n, row in enumerate(rows)
    }
    ways = list(directions or range(len(rows)))
    vectors = np.eye(max(ways) + 1, dtype=np.float32)[ways]
    evidence = Evidence(
        vectors=vectors,
        passages=[[n] for n in range(len(rows))],
        texts=[f"subject {way} told in words of its own number {way}" for way in ways],
    )
    facet_ids = [f"f{column}" for column in range(relevance.shape[1])]
    facets = {
        facet_id: Facet(
            facet_id=facet_id, name=facet_id, why="", hop=1, weight=(weights or [1.0] * 99)[column]
        )
        for column, facet_id in enumerate(facet_ids)
    }
    pool = pool_of(candidates, evidence, scale=SCALE)
    state: dict[str, Any] = {
        "candidates": candidates,
        "facets": facets,
        "votes": {},
        "queries": {"eq1": {"query_id": "eq1", "facet_id": "f0", "origin": "expand"}},
        "question": question,
        "kind": "conceptual",
        "k": 3,
        "asked_at": NOW.isoformat(),
    }
    return replace(pool, facet_ids=facet_ids, relevance=relevance), cast(RecallState, state)


def vote(
    memory_id: str, name: VoteName, *, place: int | None = None, facets: Sequence[str] = ("f0",)
) -> Vote:
    return Vote(
        memory_id=memory_id,
        vote=name,
        by="critic",
        round=1,
        reason="it does",
        facet_ids=list(facets),
        repeats=None,
        replaced_by=None,
        place=place,
    )


def voted(state: RecallState, *votes: Vote) -> RecallState:
    return {**state, "votes": {f"{one['memory_id']}|1": one for one in votes}}


def picked(pool: Pool, state: RecallState, **settings: Any) -> list[str]:
    answer = best_answer(pool, state, settings=replace(SETTINGS, **settings))
    return [pick["memory_id"] for pick in answer.picks]


def test_a_readers_order_is_followed_and_the_rest_fills_up() -> None:
    pool, state = world_of([[0.9], [0.8], [0.7], [0.6], [0.5]])
    state = voted(
        state,
        vote("m4", "hot", place=1),
        vote("m2", "warm", place=2),
        vote("m0", "cold", place=0, facets=()),
    )
    assert picked(pool, state) == ["m4", "m2", "m1"]


def unplanned(state: RecallState) -> RecallState:
    """The same state without a plan: only the question itself was searched."""
    query: Any = {"query_id": "q", "facet_id": "f0", "origin": "question", "round": 1}
    return {**state, "queries": {"q": query}, "round": 1}


def test_a_free_slot_goes_to_what_a_critic_left_unnamed_and_never_to_what_it_refused() -> None:
    pool, state = world_of([[0.9], [0.8], [0.7], [0.05]])
    silent = [vote(one, "cold", place=0, facets=()) for one in ("m0", "m2")]
    for one in silent:
        one["unnamed"] = True
    refused = vote("m1", "cold", place=0, facets=())

    state = voted(unplanned(state), vote("m3", "hot", place=1), refused, *silent)

    pool.candidates["m3"]["parts"] = {"cues": -0.9}
    assert picked(pool, state) == ["m3", "m0", "m2"]
    pool.candidates["m3"]["parts"] = {"cues": -1.1}
    assert picked(pool, state) == []  # a vote that is not believed picks nothing


@pytest.mark.parametrize(("relevance", "given_"), [(0.7, True), (0.5, False)])
def test_what_a_refusing_critics_own_search_found_near_is_given(
    relevance: float, given_: bool
) -> None:
    pool, state = world_of([[0.6], [relevance]])
    state = voted(unplanned(state), vote("m0", "cold", place=0, facets=()))
    state["shortlist"] = ["m0"]
    state["queries"]["q"]["origin"] = "uncovered"

    assert picked(pool, state) == (["m1"] if given_ else [])


def test_when_a_reader_finds_nothing_good_nothing_is_given() -> None:
    pool, state = world_of([[0.9], [0.8]])
    state = voted(state, vote("m0", "cold", place=0, facets=()))
    assert picked(pool, state) == []


@pytest.mark.parametrize(
    ("kind", "broad", "near"),
    [("conceptual", 0.33, True), ("conceptual", 0.32, False), ("factual", 0.9, False)],
)
def test_a_broad_cue_near_a_question_for_help_lets_its_memories_through(
    kind: QuestionKind, broad: float, near: bool
) -> None:
    _, state = world_of([[0.01] for _ in range(80)])
    cues = CueHits(
        memory_ids=["m0"],
        specific=[0.1],
        broad=[broad],
        nearest=0.1,
        nearest_broad=broad,
        cues=["a trip"],
    )
    nothing = Hits(passage_ids=[], memory_ids=[], scores=[])
    found = Ranking(query_id="q0", dense=nothing, lexical=nothing, cosines={}, error="", cues=cues)
    state = unplanned({**state, "kind": kind, "rankings": {"q0": found}})

    assert answerable(state, kind, min_score=SETTINGS.min_score)[0] is near


@pytest.mark.parametrize(("name", "given_"), [("hot", True), ("warm", False)])
def test_only_something_hot_answers_what_nothing_is_near(name: VoteName, given_: bool) -> None:
    pool, state = world_of([[0.19], *([0.04] for _ in range(79))])
    state = voted({**state, "kind": "factual"}, vote("m0", name, place=1))
    assert best_answer(pool, state, settings=SETTINGS).given is given_


@pytest.mark.parametrize(("size", "given_"), [(8, True), (80, False), (200, False)])
def test_the_best_of_few_memories_need_not_be_as_near_as_the_best_of_many(
    size: int, given_: bool
) -> None:
    pool, state = world_of([[0.1], *([0.04] for _ in range(size - 1))])
    assert best_answer(pool, state, settings=SETTINGS).given is given_


def test_a_look_up_among_few_memories_needs_half_of_the_nearness_at_least() -> None:
    pool, state = world_of([[0.2], [0.04]])
    assert best_answer(pool, {**state, "kind": "factual"}, settings=SETTINGS).given
    pool, state = world_of([[0.13], [0.04]])
    assert not best_answer(pool, {**state, "kind": "factual"}, settings=SETTINGS).given


def test_a_critic_that_refuses_what_a_name_brought_is_what_held_the_answer_back() -> None:
    pool, state = world_of([[0.1], *([0.04] for _ in range(4))], question="Does Frau Keller mind?")
    texts = ["Ask Keller first.", *pool.evidence.texts[1:]]
    pool = replace(pool, evidence=replace(pool.evidence, texts=texts))
    state = voted(state, vote("m0", "cold", place=0))
    state |= {"shortlist": ["m0"], "kind": "factual", "round": 1}
    answer = best_answer(pool, state, settings=SETTINGS)
    assert (answer.near, answer.given) == (True, False)
    drop = unanswered("m0", answer, state, place=1, enough=None, min_score=0.35)
    assert drop["reason"] == REFUSED


def test_a_memory_is_for_the_facet_that_its_vote_names_first() -> None:
    pool, state = world_of([[0.9, 0.2], [0.1, 0.3]])
    state = voted(state, vote("m1", "hot", place=1, facets=("f1", "f0")))
    answer = best_answer(pool, state, settings=SETTINGS)
    assert (answer.picks[0]["memory_id"], answer.picks[0]["facet_id"]) == ("m1", "f1")


def test_factors_that_lift_scores_above_one_still_tell_memories_apart() -> None:
    pool, state = world_of([[0.99], [0.95]])
    for memory_id, salience in (("m0", 0.75), ("m1", 1.0)):
        pool.candidates[memory_id]["salience"] = salience

    answer = best_answer(pool, cast(RecallState, {**state, "queries": {}}), settings=SETTINGS)

    assert [pick["memory_id"] for pick in answer.selected.picks] == ["m1", "m0"]


def test_one_that_says_the_same_does_not_stand_in_where_it_does_not_serve() -> None:
    rows = [[0.9, 0.1], [0.45, 0.85], [0.6, 0.05]]
    pool, state = world_of(rows, directions=[0, 0, 1], weights=[1.5, 1.0])
    assert sorted(picked(pool, {**state, "k": 2})) == ["m0", "m1"]


@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8]), min_size=3, max_size=3).filter(any),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 14),
)
def test_a_shortlist_holds_each_candidate_once_and_never_too_many(
    rows: list[list[float]], limit: int
) -> None:
    pool, state = world_of(rows)
    drawn = draw_shortlist(pool, state, first=["m0"], limit=limit)
    assert drawn[0] == "m0"
    assert len(drawn) == len(set(drawn)) == min(limit, len(rows))


def test_nothing_said_already_takes_a_place_while_others_wait_unless_it_is_newer() -> None:
    rows = [[0.9], [0.85], [0.3]]
    pool, state = world_of(rows, directions=[1, 1, 0])
    assert pool.replaced_by == {"m0": "m1"}
    assert draw_shortlist(pool, state, first=["m0"], limit=2) == ["m0", "m1"]
    assert draw_shortlist(pool, state, first=["m1"], limit=2) == ["m1", "m2"]


@pytest.mark.parametrize(
    ("question", "kind", "recency", "aged"),
    [
        ("What is the current rate?", "factual", "auto", True),
        ("What was the rate?", "factual", "auto", False),
        ("What was the rate?", "factual", "always", True),
        ("What is the current rate?", "factual", "never", False),
        ("The date it is due?", "temporal", "auto", True),
        ("The date it is due?", "conceptual", "auto", False),
        ("The date it was paid?", "temporal", "auto", False),
    ],
)
def test_age_counts_for_questions_about_now(
    question: str, kind: Any, recency: Any, aged: bool
) -> None:
    pool, state = world_of([[0.9], [0.8]], question=question)
    state["kind"], state["annotated"] = kind, 1.0
    candidates = [pool.candidates[one] for one in pool.ids]
    factors = recency_column(candidates, state, replace(SETTINGS, recency=recency))
    assert bool((factors < 1).all()) is aged
    assert bool((factors >= 0.5).all())


def test_in_a_look_up_age_counts_only_against_what_serves_as_well() -> None:
    pool, state = world_of([[0.9], [0.8], [0.3]], question="What is the current rate?")
    state["kind"] = "factual"
    days = {"m0": "2025-06-01", "m1": "2026-02-01", "m2": "2026-02-27"}
    candidates: list[Candidate] = [
        {**pool.candidates[one], "created_at": f"{days[one]}T00:00:00+00:00"} for one in days
    ]

    old, newer, unlike = recency_column(candidates, state, SETTINGS)

    assert (newer, unlike) == (1.0, 1.0)
    assert old < 0.7
    (alone,) = recency_column(candidates[:1], state, SETTINGS)
    assert alone == 1.0


def test_when_the_questions_own_search_failed_the_facets_still_answer() -> None:
    pool, state = world_of([[0.0, 0.9], [0.0, 0.8]])
    assert picked(pool, state) == ["m0", "m1"]


def test_what_no_search_found_like_the_question_is_not_chosen_by_a_vote() -> None:
    pool, state = world_of([[0.6], [0.1]])
    state = voted(state, vote("m1", "hot", place=1), vote("m0", "warm", place=2))
    assert picked(pool, state) == ["m0"]


def test_a_single_vote_against_leaves_the_rest_neutral() -> None:
    pool, state = world_of([[0.6], [0.5], [0.4], [0.38]])
    state = voted(state, vote("m1", "cold", place=0, facets=()))
    state["shortlist"] = ["m0", "m1", "m2", "m3"]
    assert picked(pool, state) == ["m0", "m2", "m3"]
