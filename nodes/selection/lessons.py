"""What lessons amount to at some moment: pure functions of what was stored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from secondhop.nodes.learning_settings import LearningSettings
from secondhop.ranking.evidence_coverage import Sharpening
from secondhop.stores.learning import ContextCentre, LearnedContext, LearnedHook, Lessons, Weight
from secondhop.stores.records import Vector

DAY = timedelta(days=1)

AGAINST = 0.5
"""What speaks against a memory moves it so far as the same in its favour would: a cold vote often
means no more than "not now", and who votes in bad faith buries less."""

FORGOTTEN_AFTER = 3
"""Half-lives without a lesson after which a hook is silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearContext:
    """A context that a question belongs to, more or less."""

    context: LearnedContext
    """With its lessons faded to the moment of the question."""
    nearness: float
    """Above 0, at most 1."""
    learned_at: datetime
    """When the context was last learned from."""


def faded(lessons: Lessons, now: datetime, *, half_life_days: float) -> Lessons:
    """The lessons with every sum halved each `half_life_days` since they were last learned from.

    A moment before that leaves them as they are. Hooks are counts and do not fade.
    """
    left = share_left(lessons.at, now, half_life_days=half_life_days)
    if left == 1.0:
        return lessons
    return replace(
        lessons,
        at=now,
        sessions=lessons.sessions * left,
        rounds=lessons.rounds * left,
        weights={
            memory_id: Weight(good=weight.good * left, bad=weight.bad * left)
            for memory_id, weight in lessons.weights.items()
        },
        pairs={pair: strength * left for pair, strength in lessons.pairs.items()},
    )


def share_left(then: datetime, now: datetime, *, half_life_days: float) -> float:
    """What time leaves of a vote cast `then`: half of it each half-life; 1 if that is yet to come.

    >>> share_left(datetime(2026, 1, 1), datetime(2026, 4, 1), half_life_days=90)
    0.5
    """
    age = max(0.0, (now - then) / DAY)
    return float(0.5 ** (age / half_life_days))


def nearness_to(
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
    nearness: Mapping[str, float],
    *,
    now: datetime,
    settings: LearningSettings,
) -> list[NearContext]:
    """The contexts that are near, nearest first, with their lessons faded."""
    near = [
        NearContext(
            context=replace(
                context,
                lessons=faded(context.lessons, now, half_life_days=settings.half_life_days),
            ),
            nearness=nearness[context.context_id],
            learned_at=context.lessons.at,
        )
        for context in contexts
        if context.context_id in nearness
    ]
    return sorted(near, key=lambda one: (-one.nearness, one.context.context_id))


def leanings(near: Iterable[NearContext], *, prior: float) -> dict[str, float]:
    """{memory id: -1..1}: which way, and how surely, the contexts speak for or against a memory.

    leaning = (good - bad) / (good + bad + prior), sums over the contexts, each as near as it is:
    the mean of a Beta posterior, moved to -1..1, so that few votes say little.
    """
    good: dict[str, float] = {}
    bad: dict[str, float] = {}
    for one in near:
        for memory_id, weight in one.context.lessons.weights.items():
            good[memory_id] = good.get(memory_id, 0.0) + one.nearness * weight.good
            bad[memory_id] = bad.get(memory_id, 0.0) + one.nearness * weight.bad
    return {
        memory_id: (good[memory_id] - bad[memory_id]) / (good[memory_id] + bad[memory_id] + prior)
        for memory_id in sorted(good)
    }


def learned_factors(lean: Mapping[str, float], *, weight: float) -> dict[str, float]:
    """{memory id: factor on relevance, 1 - weight / 2 .. 1 + weight}; those of 1 are left out."""
    factors = {
        memory_id: learned_factor_of(towards, weight=weight) for memory_id, towards in lean.items()
    }
    return {memory_id: factor for memory_id, factor in factors.items() if factor != 1.0}


def learned_factor_of(leaning: float, *, weight: float) -> float:
    """The factor that a leaning makes.

    >>> learned_factor_of(0.5, weight=0.3), learned_factor_of(-0.5, weight=0.3)
    (1.15, 0.925)
    """
    return round(1 + weight * (leaning if leaning > 0 else AGAINST * leaning), 4)


def proposed(near: Iterable[NearContext], lean: Mapping[str, float], *, limit: int) -> list[str]:
    """Memories that the contexts speak for, and that helped together with others."""
    strength: dict[str, float] = {}
    for one in near:
        for pair, together in one.context.lessons.pairs.items():
            for memory_id in pair:
                strength[memory_id] = strength.get(memory_id, 0.0) + one.nearness * together
    wanted = [one for one in strength if lean.get(one, 0.0) > 0]
    return sorted(wanted, key=lambda one: (-strength[one], one))[:limit]


def is_promoted(hook: LearnedHook, settings: LearningSettings) -> bool:
    """Whether it has helped often enough, and still does."""
    return not hook.retired and hook.wins >= settings.promote_after


def is_silent(learned_at: datetime, now: datetime, settings: LearningSettings) -> bool:
    """Whether a context has not been learned from for so long that its hooks count no more."""
    return (now - learned_at) / DAY > FORGOTTEN_AFTER * settings.half_life_days


def open_hooks(
    near: Iterable[NearContext], *, settings: LearningSettings, now: datetime
) -> list[LearnedHook]:
    """The promoted hooks of the contexts, nearest context and most wins first, one a target."""
    found: dict[str, LearnedHook] = {}
    for one in near:
        silent = is_silent(one.learned_at, now, settings)
        best = sorted(one.context.lessons.hooks, key=lambda hook: (-hook.wins, hook.leads_to))
        for hook in best if not silent else ():
            if is_promoted(hook, settings):
                found.setdefault(hook.leads_to, hook)
    return list(found.values())[: settings.hooks]
