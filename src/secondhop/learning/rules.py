"""What a resolved session changes in what is known: pure functions of both.

Contexts are online clusters (leader clustering: Hartigan, Clustering Algorithms, 1975, ch. 3): a
question joins the context it is nearest to, if it is near enough, and moves its vector; else it
founds one.
"""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from typing import TypeVar

import numpy as np

from secondhop.graph.session_result import ResolvedSession
from secondhop.nodes.learning_settings import LearningSettings
from secondhop.nodes.selection.lessons import faded, share_left
from secondhop.ranking.evidence_coverage import Sharpening
from secondhop.stores.learning import (
    LearnedContext,
    LearnedHook,
    LearningChange,
    LearningState,
    Lessons,
    Weight,
)
from secondhop.stores.records import Vector

KeyT = TypeVar("KeyT")
EntryT = TypeVar("EntryT")

JOINS = 0.25
"""Nearness from which on a question joins a context instead of founding one."""

CENTRE_SESSIONS = 10.0
"""Sessions that hold a context's vector in place: it drifts with its questions."""

VOTE_CREDIT: Mapping[str, float] = {"hot": 1.0, "warm": 0.5, "cold": -0.5, "wrong": -1.0}
"""What a vote says of a memory in its context; a spark says nothing of itself."""

ACCEPTED_CREDIT = 0.5
"""The least that being accepted says, whatever was voted; accepted without a vote it says 1."""

MOST_VOTES = 10.0
"""What a memory's votes in a context add up to at most: later ones always count."""

PAIRED = 12
"""Accepted memories that are paired, in their order: of more, the first."""

MOST_PAIRS = 500
MOST_HOOKS = 50


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
        accepted=session.accepted,
        shown=frozenset(session.shown),
        sparks=[(pair.spark, pair.accepted) for pair in session.sparks],
    )


def teaches(session: ResolvedSession) -> bool:
    """Whether anybody has said anything: by a vote, or by naming what helped."""
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


def learned_from(
    known: LearningState,
    teaching: Teaching,
    *,
    alike: Sharpening,
    settings: LearningSettings,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
) -> LearningChange:
    """The context that the session belongs to, as it is afterwards, and what makes room for it."""
    context = context_of(known.contexts, teaching, alike=alike) or LearnedContext(
        context_id=new_id(),
        embedder_id=teaching.embedder_id,
        vector=teaching.question,
        lessons=Lessons(at=teaching.at),
    )
    before = faded(context.lessons, teaching.at, half_life_days=settings.half_life_days)
    left = share_left(teaching.at, before.at, half_life_days=settings.half_life_days)
    after = LearnedContext(
        context_id=context.context_id,
        embedder_id=context.embedder_id,
        vector=moved(context.vector, teaching.question, sessions=before.sessions),
        lessons=taught(before, teaching, left=left, settings=settings),
    )
    others = [one for one in known.contexts if one.context_id != after.context_id]
    dropped = faintest(others, spare=settings.contexts - 1, at=teaching.at, settings=settings)
    return LearningChange(kept=[after], dropped=dropped, rounds=teaching.rounds)


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


def taught(
    before: Lessons, teaching: Teaching, *, left: float, settings: LearningSettings
) -> Lessons:
    """A context's lessons with one session more.

    Args:
        left: what counts of a session that comes later than younger ones; 1 for the youngest.
    """
    weights = dict(before.weights)
    for memory_id, credit in teaching.credit.items():
        weights[memory_id] = credited(weights.get(memory_id, Weight()), left * credit)
    pairs = dict(before.pairs)
    for one, other in combinations(sorted(teaching.accepted[:PAIRED]), 2):
        pairs[one, other] = min(pairs.get((one, other), 0.0) + left, MOST_VOTES)
    return Lessons(
        at=max(before.at, teaching.at),
        sessions=before.sessions + left,
        rounds=before.rounds + left * teaching.rounds,
        weights=strongest(weights, lambda w: w.good + w.bad, limit=settings.memories),
        pairs=strongest(pairs, lambda strength: strength, limit=MOST_PAIRS),
        hooks=hooks_after(before.hooks, teaching, settings=settings),
    )


def credited(weight: Weight, credit: float) -> Weight:
    """A memory's weight with one more vote, its sum bounded."""
    good, bad = weight.good + max(credit, 0.0), weight.bad + max(-credit, 0.0)
    shrink = MOST_VOTES / max(MOST_VOTES, good + bad)
    return Weight(good=good * shrink, bad=bad * shrink)


def strongest(
    entries: Mapping[KeyT, EntryT], strength: Callable[[EntryT], float], *, limit: int
) -> dict[KeyT, EntryT]:
    """The `limit` strongest entries; of equals, those that came last."""
    ranked = list(entries)[::-1]
    ranked.sort(key=lambda key: -strength(entries[key]))
    return {key: entries[key] for key in ranked[:limit]}


def hooks_after(
    hooks: Iterable[LearnedHook], teaching: Teaching, *, settings: LearningSettings
) -> list[LearnedHook]:
    """Every hook after the session; what a spark led to in it is a hook's first win, or another."""
    known = {(hook.spark, hook.leads_to): hook for hook in hooks}
    led = [(spark, one) for spark, accepted in teaching.sparks for one in accepted if one != spark]
    for pair in led:
        known.setdefault(pair, LearnedHook(spark=pair[0], leads_to=pair[1]))
    after = [
        hook_after(
            hook,
            led=(hook.spark, hook.leads_to) in led,
            accepted=hook.leads_to in teaching.accepted,
            shown=hook.leads_to in teaching.shown,
            retire_after=settings.retire_after,
        )
        for hook in known.values()
    ]
    return sorted(after, key=lambda hook: hook.wins, reverse=True)[:MOST_HOOKS]


def hook_after(
    hook: LearnedHook, *, led: bool, accepted: bool, shown: bool, retire_after: int
) -> LearnedHook:
    """One hook after a session that its spark led through, or that wanted what it leads to, or not.

    Only what a spark led to is a win; accepted without it, it has at least not missed.
    """
    if led:
        return replace(hook, wins=hook.wins + 1, misses=0, retired=False)
    if accepted:
        return replace(hook, misses=0)
    if not shown:
        return hook
    if hook.misses + 1 >= retire_after:
        return replace(hook, wins=0, misses=0, retired=True)
    return replace(hook, misses=hook.misses + 1)


def faintest(
    contexts: Sequence[LearnedContext], *, spare: int, at: datetime, settings: LearningSettings
) -> list[str]:
    """Ids of the contexts with the fewest sessions, faded, beyond those that are spared."""
    if len(contexts) <= spare:
        return []
    sessions = {
        one.context_id: faded(one.lessons, at, half_life_days=settings.half_life_days).sessions
        for one in contexts
    }
    return sorted(sessions, key=lambda one: (sessions[one], one))[: len(contexts) - spare]
