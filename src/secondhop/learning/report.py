"""Makes reports from what is stored."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from secondhop.learning.records import (
    ContextReport,
    CueStatus,
    LearnedCue,
    LearnedMemory,
    RoundCounts,
)
from secondhop.nodes.config import LearningSettings
from secondhop.nodes.selection.lessons import (
    faded,
    is_promoted,
    is_silent,
    leaning,
    learned_factor_of,
    refused,
)
from secondhop.stores.lessons import LearnedContext, SessionCue

MANY_ROUNDS = 2.5
"""Answers a session, on average, from which on ranking is said to need tuning."""

ENOUGH_SESSIONS = 2.0
"""Sessions, faded, below which nothing is said of how many answers they need."""


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
    weights, out = lessons.weights, refused(lessons.weights)
    silent = is_silent(context.lessons.at, now, half_life_days=settings.half_life_days)
    return ContextReport(
        context_id=context.context_id,
        learned_at=context.lessons.at,
        sessions=round(lessons.sessions, 2),
        mean_rounds=round(lessons.rounds / lessons.sessions, 2) if lessons.sessions else 0.0,
        memories=[
            LearnedMemory(
                memory_id=memory_id,
                title=titles.get(memory_id, ""),
                good=round(weights[memory_id].good, 2),
                bad=round(weights[memory_id].bad, 2),
                factor=learned_factor_of(weights[memory_id], most=settings.weight),
                refused=memory_id in out,
            )
            for memory_id in sorted(weights, key=lambda one: (-leaning(weights[one]), one))
        ],
        cues=[
            LearnedCue(
                context_id=context.context_id,
                spark=cue.spark,
                spark_title=titles.get(cue.spark, ""),
                leads_to=cue.leads_to,
                leads_to_title=titles.get(cue.leads_to, ""),
                wins=cue.wins,
                misses=cue.misses,
                status=status_of(cue, silent=silent),
                learned_at=context.lessons.at,
            )
            for cue in lessons.cues
        ],
    )


def status_of(cue: SessionCue, *, silent: bool) -> CueStatus:
    """Whether it opens a facet, waits for more wins, or has stopped helping."""
    if is_promoted(cue):
        return "silent" if silent else "promoted"
    return "retired" if cue.retired else "waiting"


def round_counts(contexts: Sequence[ContextReport]) -> RoundCounts:
    """How many answers sessions needed, and where too many."""
    sessions = sum(one.sessions for one in contexts)
    answers = sum(one.sessions * one.mean_rounds for one in contexts)
    mean = answers / sessions if sessions else 0.0
    enough = [one for one in contexts if one.sessions >= ENOUGH_SESSIONS]
    needy = [one for one in enough if one.mean_rounds >= MANY_ROUNDS]
    return RoundCounts(
        sessions=round(sessions, 2),
        mean_rounds=round(mean, 2),
        verdict=verdict_of(sessions, mean, len(needy)),
        needs_tuning=sorted(needy, key=lambda one: (-one.mean_rounds, one.context_id)),
    )


def verdict_of(sessions: float, mean: float, needy: int) -> str:
    """One sentence."""
    if sessions < ENOUGH_SESSIONS:
        return "too few resolved sessions to tell"
    if mean >= MANY_ROUNDS:
        return f"ranking needs tuning: sessions need {mean:.1f} answers on average"
    if needy:
        where = "1 context" if needy == 1 else f"{needy} contexts"
        return f"the first answers are good, but not in {where}"
    return f"sessions end after {mean:.1f} answers on average: the first ones are good"
