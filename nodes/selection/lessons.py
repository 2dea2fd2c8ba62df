"""What lessons amount to at some moment: pure functions of what was stored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from secondhop.ranking.coverage import Sharpening
from secondhop.stores.lessons import ContextCentre, LearnedContext, Lessons, SessionCue, Weight
from secondhop.stores.records import Vector

DAY = timedelta(days=1)

PRIOR = 1.0
"""Votes that are set against those that were cast: one session counts for little, several of one
mind for nearly all."""

AGAINST = 0.5
"""What speaks against a memory moves it so far as the same in its favour would: a cold vote often
means no more than "not now", and who votes in bad faith buries less."""

REFUSED_FROM = 0.75
"""Votes of persons against a memory, less all votes in its favour, from which on it is kept out of
answers: two cold votes or a wrong one, until they have faded to this."""

TOGETHER = 6
"""Memories that helped in a context and are looked at, whatever the searches find."""

PROMOTED_AFTER = 3
"""Resolved sessions in which a spark has led to an accepted memory, until it is a cue."""

OPEN_CUES = 2
"""Promoted cues that open a facet of their own."""

SILENT_AFTER = 3
"""Half-lives without a lesson after which a cue is silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearContext:
    """A context that a question belongs to, more or less."""

    context: LearnedContext
    """With its lessons faded to the moment of the question."""
    similarity: float
    """Above 0, at most 1."""
    learned_at: datetime
    """When the context was last learned from."""


def faded(lessons: Lessons, now: datetime, *, half_life_days: float) -> Lessons:
    """The lessons with every sum halved each `half_life_days` since they were last learned from.

    A moment before that leaves them as they are. Cues are counts and do not fade.
    """
    left = share_left(lessons.at, now, half_life_days=half_life_days)
    if left == 1.0:
        return lessons
    return replace(
        lessons,
        at=now,
        sessions=lessons.sessions * left,
        rounds=lessons.rounds * left,
        weights={memory_id: scaled(weight, left) for memory_id, weight in lessons.weights.items()},
    )


def scaled(weight: Weight, share: float) -> Weight:
    """So much of every sum."""
    return Weight(good=weight.good * share, bad=weight.bad * share, refused=weight.refused * share)


def share_left(then: datetime, now: datetime, *, half_life_days: float) -> float:
    """What time leaves of a vote cast `then`: half of it each half-life; 1 if that is yet to come.

    >>> share_left(datetime(2026, 1, 1), datetime(2026, 4, 1), half_life_days=90)
    0.5
    """
    age = max(0.0, (now - then) / DAY)
    return float(0.5 ** (age / half_life_days))


def similarities(
    question: Vector, centres: Iterable[ContextCentre], *, embedder_id: str, alike: Sharpening
) -> dict[str, float]:
    """{context id: how much the question belongs to it, above 0, at most 1}; {} for most questions.

    Contexts of another embedding model are far from everything.

    Args:
        question: float32 [dim], unit length.
        alike: cosine of two questions → how much they are about the same, 0..1.
    """
    own = [one for one in centres if one.embedder_id == embedder_id]
    own = [one for one in own if one.vector.shape == question.shape]
    if not own:
        return {}
    shares: list[float] = alike(np.stack([one.vector for one in own]) @ question).tolist()
    return {
        one.context_id: round(share, 4) for one, share in zip(own, shares, strict=True) if share > 0
    }


def near_contexts(
    contexts: Iterable[LearnedContext],
    similarity: Mapping[str, float],
    *,
    now: datetime,
    half_life_days: float,
) -> list[NearContext]:
    """The contexts that are near, nearest first, with their lessons faded."""
    near = [
        NearContext(
            context=replace(
                context, lessons=faded(context.lessons, now, half_life_days=half_life_days)
            ),
            similarity=similarity[context.context_id],
            learned_at=context.lessons.at,
        )
        for context in contexts
        if context.context_id in similarity
    ]
    return sorted(near, key=lambda one: (-one.similarity, one.context.context_id))


def weighed(near: Iterable[NearContext]) -> dict[str, Weight]:
    """{memory id: sums over the contexts, each as near as it is}, by id."""
    sums: dict[str, Weight] = {}
    for one in near:
        for memory_id, weight in one.context.lessons.weights.items():
            own, before = scaled(weight, one.similarity), sums.get(memory_id, Weight())
            sums[memory_id] = Weight(
                good=before.good + own.good,
                bad=before.bad + own.bad,
                refused=before.refused + own.refused,
            )
    return dict(sorted(sums.items()))


def leaning(weight: Weight) -> float:
    """-1..1: which way, and how surely, votes speak for or against a memory.

    leaning = (good - bad) / (good + bad + prior): the mean of a Beta posterior, moved to -1..1, so
    that few votes say little.

    >>> [leaning(Weight(good=votes)) for votes in (1, 3, 9)]
    [0.5, 0.75, 0.9]
    """
    return (weight.good - weight.bad) / (weight.good + weight.bad + PRIOR)


def learned_factor_of(weight: Weight, *, most: float) -> float:
    """The factor that votes make of relevance: 1 - most / 2 .. 1 + most.

    >>> learned_factor_of(Weight(good=1), most=0.3), learned_factor_of(Weight(bad=1), most=0.3)
    (1.15, 0.925)
    """
    towards = leaning(weight)
    return round(1 + most * (towards if towards > 0 else AGAINST * towards), 4)


def refused(sums: Mapping[str, Weight]) -> list[str]:
    """Memories that persons have voted out of answers to such questions."""
    return [one for one, weight in sums.items() if weight.refused - weight.good >= REFUSED_FROM]


def helped_together(sums: Mapping[str, Weight]) -> list[str]:
    """Memories that helped with such questions, those that helped most first."""
    wanted = [one for one, weight in sums.items() if weight.good > weight.bad]
    return sorted(wanted, key=lambda one: (sums[one].bad - sums[one].good, one))[:TOGETHER]


def is_promoted(cue: SessionCue) -> bool:
    """Whether it has helped often enough, and still does."""
    return not cue.retired and cue.wins >= PROMOTED_AFTER


def is_silent(learned_at: datetime, now: datetime, *, half_life_days: float) -> bool:
    """Whether a context has not been learned from for so long that its cues count no more."""
    return (now - learned_at) / DAY > SILENT_AFTER * half_life_days


def open_cues(
    near: Iterable[NearContext], *, now: datetime, half_life_days: float
) -> list[SessionCue]:
    """The promoted cues of the contexts, nearest context and most wins first, one a target."""
    found: dict[str, SessionCue] = {}
    for one in near:
        if is_silent(one.learned_at, now, half_life_days=half_life_days):
            continue
        best = sorted(one.context.lessons.cues, key=lambda cue: (-cue.wins, cue.leads_to))
        for cue in filter(is_promoted, best):
            found.setdefault(cue.leads_to, cue)
    return list(found.values())[:OPEN_CUES]
