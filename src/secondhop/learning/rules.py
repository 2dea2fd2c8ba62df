"""What a resolved session changes in what is known: pure functions of both.

Contexts are online clusters (leader clustering: Hartigan, Clustering Algorithms, 1975, ch. 3): a
question joins the context it is nearest to, if it is near enough, and moves its vector; else it
founds one.
"""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from secondhop.graph.session_result import ResolvedSession
from secondhop.nodes.selection.lessons import faded, share_left
from secondhop.ranking.coverage import Sharpening
from secondhop.stores.lessons import (
    LearnedContext,
    LearningChange,
    LearningState,
    Lessons,
    SessionCue,
    Weight,
)
from secondhop.stores.records import Vector

JOINS = 0.25
"""Similarity from which on a question joins a context instead of founding one."""

CENTRE_SESSIONS = 10.0
"""Sessions that hold a context's vector in place: it drifts with its questions."""

VOTE_CREDIT: Mapping[str, float] = {"hot": 1.0, "warm": 0.5, "cold": -0.5, "wrong": -1.0}
"""What a vote says of a memory in its context; a spark says nothing of itself."""

ACCEPTED_CREDIT = 0.5
"""The least that being accepted says, whatever was voted; accepted without a vote it says 1."""

MOST_VOTES = 10.0
"""What a memory's votes in a context add up to at most: later ones always count."""

RETIRED_AFTER = 2
"""Sessions on end that show what a cue leads to, and do not want it, until it retires."""

MOST_CONTEXTS = 200
MOST_MEMORIES = 200
MOST_CUES = 50
"""Of an entity, of a context, and of a context again; of more, the faintest go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """What one resolved session has to teach; no text, no voter."""

    question: Vector
    """float32 [dim], unit length."""
    embedder_id: str
    at: datetime
    rounds: int
    credit: Mapping[str, float]
    """{memory id: -1..1}, without those of 0."""
    refused: frozenset[str]
    """What a person voted cold or wrong, and what did not help in the end."""
    accepted: Sequence[str]
    shown: frozenset[str]
    sparks: Sequence[tuple[str, Sequence[str]]]
    """(memory that sparked, what was accepted out of its branch)."""


def teaching_of(session: ResolvedSession, *, question: Vector, embedder_id: str) -> Teaching:
    """What a session has to teach."""
    return Teaching(
        question=np.asarray(question, dtype=np.float32),
        embedder_id=embedder_id,
        at=session.asked_at,
        rounds=session.rounds,
        credit=credit_of(session.last_votes(), session.accepted),
        refused=refused_in(session),
        accepted=session.accepted,
        shown=frozenset(session.shown),
        sparks=[(pair.spark, pair.accepted) for pair in session.sparks],
    )


def teaches(session: ResolvedSession) -> bool:
    """Whether the session has a vote of a person or an agent, or names what helped."""
    return bool(session.last_votes() or session.accepted)


def without_the_gone(session: ResolvedSession, stored: Collection[str]) -> ResolvedSession:
    """The session as if it had never met what is no longer stored."""

    def left(ids: Sequence[str]) -> list[str]:
        return [one for one in ids if one in stored]

    return session.model_copy(
        update={
            "shown": left(session.shown),
            "retrieved": left(session.retrieved),
            "accepted": left(session.accepted),
            "votes": [
                votes.model_copy(
                    update={
                        "hot": left(votes.hot),
                        "warm": left(votes.warm),
                        "cold": left(votes.cold),
                        "wrong": left(votes.wrong),
                        "spark": left(votes.spark),
                    }
                )
                for votes in session.votes
            ],
            "sparks": [
                pair.model_copy(update={"accepted": left(pair.accepted)})
                for pair in session.sparks
                if pair.spark in stored
            ],
        }
    )


def credit_of(votes: Mapping[str, str], accepted: Iterable[str]) -> dict[str, float]:
    """{memory id: what the session says of it}.

    >>> credit_of({"a": "hot", "b": "cold", "c": "spark"}, ["a", "d"])
    {'a': 1.0, 'b': -0.5, 'd': 1.0}
    """
    credit = {one: VOTE_CREDIT[vote] for one, vote in votes.items() if vote in VOTE_CREDIT}
    for memory_id in accepted:
        credit[memory_id] = max(credit.get(memory_id, 1.0), ACCEPTED_CREDIT)
    return credit


def refused_in(session: ResolvedSession) -> frozenset[str]:
    """Memories that a person voted cold or wrong, and that did not help in the end."""
    votes = [one for one in session.votes if one.by == "person"]
    against = {one for told in votes for one in (*told.cold, *told.wrong)}
    credit = credit_of(session.last_votes(), session.accepted)
    return frozenset(one for one in against if credit.get(one, 0.0) < 0)


def learned_from(
    known: LearningState,
    teaching: Teaching,
    *,
    alike: Sharpening,
    half_life_days: float,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
) -> LearningChange:
    """The context that the session belongs to, as it is afterwards, and what makes room for it."""
    context = context_of(known.contexts, teaching, alike=alike) or LearnedContext(
        context_id=new_id(),
        embedder_id=teaching.embedder_id,
        vector=teaching.question,
        lessons=Lessons(at=teaching.at),
    )
    before = faded(context.lessons, teaching.at, half_life_days=half_life_days)
    left = share_left(teaching.at, before.at, half_life_days=half_life_days)
    after = LearnedContext(
        context_id=context.context_id,
        embedder_id=context.embedder_id,
        vector=moved(context.vector, teaching.question, sessions=before.sessions),
        lessons=taught(before, teaching, left=left),
    )
    others = [one for one in known.contexts if one.context_id != after.context_id]
    dropped = faintest(others, at=teaching.at, half_life_days=half_life_days)
    return LearningChange(kept=[after], dropped=dropped)


def context_of(
    contexts: Iterable[LearnedContext], teaching: Teaching, *, alike: Sharpening
) -> LearnedContext | None:
    """The context that the question joins; None: it founds one."""
    same_model = [
        one
        for one in contexts
        if one.embedder_id == teaching.embedder_id and one.vector.shape == teaching.question.shape
    ]
    if not same_model:
        return None
    cosines = np.stack([one.vector for one in same_model]) @ teaching.question
    best = int(np.argmax(cosines))
    joins = bool(alike(cosines[best : best + 1])[0] >= JOINS)
    return same_model[best] if joins else None


def moved(centre: Vector, question: Vector, *, sessions: float) -> Vector:
    """The mean of the context's questions with one more, unit length."""
    weight = min(sessions, CENTRE_SESSIONS)
    mean = weight * centre.astype(np.float64) + question
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else question, dtype=np.float32)


def taught(before: Lessons, teaching: Teaching, *, left: float) -> Lessons:
    """A context's lessons with one session more.

    Args:
        left: what counts of a session that comes later than younger ones; 1 for the youngest.
    """
    weights = dict(before.weights)
    for memory_id, credit in teaching.credit.items():
        weight = weights.get(memory_id, Weight())
        by_person = memory_id in teaching.refused
        weights[memory_id] = credited(weight, left * credit, by_person=by_person)
    return Lessons(
        at=max(before.at, teaching.at),
        sessions=before.sessions + left,
        rounds=before.rounds + left * teaching.rounds,
        weights=strongest(weights),
        cues=cues_after(before.cues, teaching),
    )


def credited(weight: Weight, credit: float, *, by_person: bool = False) -> Weight:
    """A memory's weight with one more vote, its sum bounded.

    Args:
        by_person: whether a person cast it, if it speaks against the memory.
    """
    against = max(-credit, 0.0)
    good, bad = weight.good + max(credit, 0.0), weight.bad + against
    refused = weight.refused + (against if by_person else 0.0)
    shrink = MOST_VOTES / max(MOST_VOTES, good + bad)
    return Weight(good=good * shrink, bad=bad * shrink, refused=refused * shrink)


def strongest(weights: Mapping[str, Weight]) -> dict[str, Weight]:
    """The memories with the most votes; of equals, those that came last."""
    ranked = list(weights)[::-1]
    ranked.sort(key=lambda one: -(weights[one].good + weights[one].bad))
    return {one: weights[one] for one in ranked[:MOST_MEMORIES]}


def cues_after(cues: Iterable[SessionCue], teaching: Teaching) -> list[SessionCue]:
    """Every cue after the session; what a spark led to in it is a cue's first win, or another."""
    known = {(cue.spark, cue.leads_to): cue for cue in cues}
    led = [(spark, one) for spark, accepted in teaching.sparks for one in accepted if one != spark]
    for pair in led:
        known.setdefault(pair, SessionCue(spark=pair[0], leads_to=pair[1]))
    after = [
        cue_after(
            cue,
            led=(cue.spark, cue.leads_to) in led,
            accepted=cue.leads_to in teaching.accepted,
            shown=cue.leads_to in teaching.shown,
        )
        for cue in known.values()
    ]
    return sorted(after, key=lambda cue: cue.wins, reverse=True)[:MOST_CUES]


def cue_after(cue: SessionCue, *, led: bool, accepted: bool, shown: bool) -> SessionCue:
    """One cue after a session.

    Only what its spark led to is a win; accepted without it, it has at least not missed.
    """
    if led:
        return replace(cue, wins=cue.wins + 1, misses=0, retired=False)
    if accepted:
        return replace(cue, misses=0)
    if not shown:
        return cue
    if cue.misses + 1 >= RETIRED_AFTER:
        return replace(cue, wins=0, misses=0, retired=True)
    return replace(cue, misses=cue.misses + 1)


def faintest(
    contexts: Sequence[LearnedContext], *, at: datetime, half_life_days: float
) -> list[str]:
    """Ids of the contexts with the fewest sessions, faded, that leave no room for another one."""
    spare = MOST_CONTEXTS - 1
    if len(contexts) <= spare:
        return []
    sessions = {
        one.context_id: faded(one.lessons, at, half_life_days=half_life_days).sessions
        for one in contexts
    }
    return sorted(sessions, key=lambda one: (sessions[one], one))[: len(contexts) - spare]
