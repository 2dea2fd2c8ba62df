"""From what is stored to what is told of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from secondhop.learning.records import (
    ContextReport,
    Hook,
    HookStatus,
    LearnedMemory,
    LearnedPair,
    RoundCounts,
)
from secondhop.nodes.learning_settings import LearningSettings
from secondhop.nodes.selection.lessons import (
    NearContext,
    faded,
    is_promoted,
    is_silent,
    leanings,
    learned_factor_of,
)
from secondhop.stores.learning import LearnedContext, LearnedHook

MANY_ROUNDS = 2.5
"""Answers a session, on average, from which on ranking is said to need tuning."""

ENOUGH_SESSIONS = 3
"""Sessions below which nothing is said of how many answers they need."""

ENOUGH_IN_CONTEXT = 2.0
"""The same of one context, whose sessions fade."""


def context_report(
    context: LearnedContext,
    titles: Mapping[str, str],
    *,
    now: datetime,
    settings: LearningSettings,
) -> ContextReport:
    """One context as it counts now.

    Args:
        titles: of memories that are stored.
    """
    lessons = faded(context.lessons, now, half_life_days=settings.half_life_days)
    whole = NearContext(
        context=LearnedContext(
            context_id=context.context_id,
            embedder_id=context.embedder_id,
            vector=context.vector,
            lessons=lessons,
        ),
        nearness=1.0,
        learned_at=context.lessons.at,
    )
    lean = leanings([whole], prior=settings.prior)
    return ContextReport(
        context_id=context.context_id,
        learned_at=context.lessons.at,
        sessions=round(lessons.sessions, 2),
        mean_rounds=round(lessons.rounds / lessons.sessions, 2) if lessons.sessions else 0.0,
        memories=[
            LearnedMemory(
                memory_id=memory_id,
                title=titles.get(memory_id, ""),
                good=round(lessons.weights[memory_id].good, 2),
                bad=round(lessons.weights[memory_id].bad, 2),
                factor=learned_factor_of(lean[memory_id], weight=settings.weight),
            )
            for memory_id in sorted(lean, key=lambda one: (-lean[one], one))
        ],
        pairs=[
            LearnedPair(memory_ids=pair, strength=round(lessons.pairs[pair], 2))
            for pair in sorted(lessons.pairs, key=lambda one: (-lessons.pairs[one], one))
        ],
        hooks=hooks_in(context, titles, now=now, settings=settings),
    )


def hooks_in(
    context: LearnedContext,
    titles: Mapping[str, str],
    *,
    now: datetime,
    settings: LearningSettings,
) -> list[Hook]:
    """The hooks of a context, most wins first."""
    silent = is_silent(context.lessons.at, now, settings)
    return [
        Hook(
            context_id=context.context_id,
            spark=hook.spark,
            spark_title=titles.get(hook.spark, ""),
            leads_to=hook.leads_to,
            leads_to_title=titles.get(hook.leads_to, ""),
            wins=hook.wins,
            misses=hook.misses,
            status=status_of(hook, settings, silent=silent),
            learned_at=context.lessons.at,
        )
        for hook in context.lessons.hooks
    ]


def status_of(hook: LearnedHook, settings: LearningSettings, *, silent: bool) -> HookStatus:
    """Whether it opens a facet, waits for more wins, or has stopped helping."""
    if is_promoted(hook, settings):
        return "silent" if silent else "promoted"
    return "retired" if hook.retired else "waiting"


def round_counts(by_rounds: Mapping[int, int], contexts: Sequence[ContextReport]) -> RoundCounts:
    """How many answers sessions needed, and where too many."""
    sessions = sum(by_rounds.values())
    answers = sum(rounds * count for rounds, count in by_rounds.items())
    mean = answers / sessions if sessions else 0.0
    needy = [
        one
        for one in contexts
        if one.sessions >= ENOUGH_IN_CONTEXT and one.mean_rounds >= MANY_ROUNDS
    ]
    return RoundCounts(
        sessions=sessions,
        mean_rounds=round(mean, 2),
        by_rounds=dict(by_rounds),
        verdict=verdict_of(sessions, mean, len(needy)),
        needs_tuning=sorted(needy, key=lambda one: (-one.mean_rounds, one.context_id)),
    )


def verdict_of(sessions: int, mean: float, needy: int) -> str:
    """One sentence."""
    if sessions < ENOUGH_SESSIONS:
        return f"too few resolved sessions to tell ({sessions})"
    if mean >= MANY_ROUNDS:
        return f"ranking needs tuning: sessions need {mean:.1f} answers on average"
    if needy:
        where = "1 context" if needy == 1 else f"{needy} contexts"
        return f"the first answers are good, but not in {where}"
    return f"sessions end after {mean:.1f} answers on average: the first ones are good"
