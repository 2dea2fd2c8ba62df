"""What one resolved session changes: its context alone, by little, and never without end."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.graph.session_result import ResolvedSession, SparkPair, VotesOfRound
from secondhop.learning.rules import (
    MOST_VOTES,
    Teaching,
    learned_from,
    teaching_of,
)
from secondhop.nodes.config import LearningSettings
from secondhop.nodes.selection.lessons import learned_factor_of, refused
from secondhop.ranking.coverage import Sharpening
from secondhop.stores.lessons import LearnedContext, LearningState, Weight

AT = datetime(2026, 3, 1, tzinfo=UTC)
ALIKE = Sharpening(lo=0.5, hi=0.9)
SETTINGS = LearningSettings()


def session(
    *,
    hot: Sequence[str] = (),
    cold: Sequence[str] = (),
    wrong: Sequence[str] = (),
    sparks: Sequence[SparkPair] = (),
    accepted: Sequence[str] | None = None,
    rounds: int = 2,
    at: datetime = AT,
) -> ResolvedSession:
    return ResolvedSession(
        session_id="s",
        entity="mara",
        question="?",
        asked_at=at,
        rounds=rounds,
        shown=[*hot, *cold, *wrong, *(i for pair in sparks for i in (pair.spark, *pair.accepted))],
        votes=[
            VotesOfRound(
                round=1,
                by="person",
                hot=list(hot),
                cold=list(cold),
                wrong=list(wrong),
                spark=[pair.spark for pair in sparks],
            )
        ],
        accepted=list(hot if accepted is None else accepted),
        sparks=list(sparks),
    )


Told: TypeAlias = tuple[str, set[str], int]
"""(how it voted on the memories it did not refuse, what it refused, day)."""

days = st.integers(0, 400)


def of_day(vote: str, refused: set[str], day: int) -> ResolvedSession:
    """A session about a, b and c."""
    wanted = sorted(set("abc") - refused)
    told = session(cold=sorted(refused), accepted=wanted, at=AT + timedelta(days=day))
    (votes,) = told.votes
    return told.model_copy(update={"votes": [votes.model_copy(update={vote: wanted})]})


def sums(context: LearnedContext) -> dict[str, float]:
    """All that adds up in a context."""
    lessons = context.lessons
    return {
        "sessions": lessons.sessions,
        "rounds": lessons.rounds,
        **{f"{one} +": weight.good for one, weight in lessons.weights.items()},
        **{f"{one} -": weight.bad for one, weight in lessons.weights.items()},
    }


def teaching(told: ResolvedSession, *, angle: float = 0.0, embedder: str = "e") -> Teaching:
    """What it teaches, for a question in this direction (degrees)."""
    radians = np.deg2rad(angle)
    question = np.array([np.cos(radians), np.sin(radians)], dtype=np.float32)
    return teaching_of(told, question=question, embedder_id=embedder)


def after(
    *lessons: Teaching,
    known: Sequence[LearnedContext] = (),
) -> dict[str, LearnedContext]:
    """The contexts after these lessons, one after the other; named c0, c1, …"""
    numbers = count(len(known))
    contexts = {one.context_id: one for one in known}
    for one in lessons:
        change = learned_from(
            LearningState(contexts=list(contexts.values())),
            one,
            alike=ALIKE,
            half_life_days=SETTINGS.half_life_days,
            new_id=lambda: f"c{next(numbers)}",
        )
        contexts |= {context.context_id: context for context in change.kept}
        contexts = {i: context for i, context in contexts.items() if i not in change.dropped}
    return contexts


def factor(context: LearnedContext, memory_id: str) -> float:
    weight = context.lessons.weights.get(memory_id, Weight())
    return learned_factor_of(weight, most=SETTINGS.weight)


def test_near_questions_share_a_context_and_far_ones_do_not() -> None:
    told = session(hot=["a", "b"], cold=["x"])

    contexts = after(teaching(told), teaching(told, angle=20), teaching(told, angle=90))

    assert list(contexts) == ["c0", "c1"]
    shared = contexts["c0"]
    assert (shared.lessons.sessions, shared.lessons.rounds) == (2, 4)
    assert shared.lessons.weights["a"].good == 2
    assert shared.lessons.weights["x"].bad == 1
    middle = np.rad2deg(np.arctan2(shared.vector[1], shared.vector[0]))
    assert middle == pytest.approx(10, abs=0.1)
    assert np.linalg.norm(shared.vector) == pytest.approx(1)


@given(
    st.lists(
        st.tuples(st.sampled_from(["hot", "warm"]), st.sets(st.sampled_from("abc")), days),
        min_size=2,
        max_size=6,
    ).flatmap(lambda told: st.tuples(st.just(told), st.permutations(told)))
)
def test_the_order_in_which_sessions_of_one_question_come_does_not_matter(
    pair: tuple[list[Told], list[Told]],
) -> None:
    (first,), (second,) = (
        after(*(teaching(of_day(*one)) for one in order)).values() for order in pair
    )

    assert sums(first) == pytest.approx(sums(second), abs=1e-9)
    assert first.lessons.at == second.lessons.at


def test_whoever_votes_for_ever_is_bounded_and_can_be_outvoted() -> None:
    against = [teaching(session(hot=["bad"], cold=["good"]))] * 300

    (poisoned,) = after(*against).values()
    (healed,) = after(
        *[teaching(session(hot=["good"], cold=["bad"]))] * 20, known=[poisoned]
    ).values()

    assert poisoned.lessons.weights["bad"].good <= MOST_VOTES
    assert 1 < factor(poisoned, "bad") <= 1 + SETTINGS.weight
    assert 1 - SETTINGS.weight / 2 <= factor(poisoned, "good") < 1
    assert factor(healed, "good") > 1 > factor(healed, "bad")


def test_the_faintest_contexts_and_memories_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secondhop.learning.rules.MOST_CONTEXTS", 2)
    monkeypatch.setattr("secondhop.learning.rules.MOST_MEMORIES", 3)
    many = [f"m{n}" for n in range(5)]
    often, once, new = (session(hot=[name]) for name in ("often", "once", "new"))

    contexts = after(
        teaching(often), teaching(often), teaching(once, angle=60), teaching(new, angle=120)
    )
    (crowded,) = after(
        teaching(session(hot=["strong"])), teaching(session(hot=["strong", *many]))
    ).values()

    assert sorted(contexts) == ["c0", "c2"]
    assert set(crowded.lessons.weights) == {"strong", "m3", "m4"}


def test_what_persons_refuse_is_kept_out_until_it_fades_or_somebody_wants_it() -> None:
    cold, wrong = session(cold=["a"]), session(wrong=["a"])
    by_agent = cold.model_copy(
        update={"votes": [one.model_copy(update={"by": "agent"}) for one in cold.votes]}
    )
    later = session(hot=["b"], at=AT + timedelta(days=60))

    def out(*sessions: ResolvedSession) -> list[str]:
        (context,) = after(*map(teaching, sessions)).values()
        return refused(context.lessons.weights)

    assert out(cold) == []
    assert out(cold, cold) == out(wrong) == ["a"]
    assert out(by_agent, by_agent, by_agent) == []
    assert out(cold, cold, session(hot=["a"])) == []
    assert out(session(cold=["a"], accepted=["a"]), session(wrong=["a"], accepted=["a"])) == []
    assert out(cold, cold, later) == []


def test_a_spark_that_keeps_leading_somewhere_is_promoted_and_retired_when_it_stops() -> None:
    leads = teaching(session(hot=["t"], sparks=[SparkPair(spark="s", accepted=["t"])]))
    wanted = teaching(session(hot=["t"]))
    unwanted = teaching(session(hot=["other"], cold=["t"]))
    unseen = teaching(session(hot=["other"]))

    def cue(*lessons: Teaching) -> tuple[int, int, bool]:
        (context,) = after(*lessons).values()
        (found,) = context.lessons.cues
        assert (found.spark, found.leads_to) == ("s", "t")
        return found.wins, found.misses, found.retired

    assert cue(leads, leads, leads) == (3, 0, False)
    assert cue(leads, wanted, unseen) == (1, 0, False)
    assert cue(leads, leads, leads, unwanted) == (3, 1, False)
    assert cue(leads, leads, leads, unwanted, wanted) == (3, 0, False)
    assert cue(leads, leads, leads, unwanted, unwanted) == (0, 0, True)
    assert cue(leads, leads, leads, unwanted, unwanted, leads) == (1, 0, False)
