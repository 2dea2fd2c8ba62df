"""Recall settings out of a trace, and changed by hand: "ranking.min_score=0.3"."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter, ValidationError

from secondhop.errors import UsageError
from secondhop.nodes.entity_config import told
from secondhop.nodes.learning_settings import LearningSettings
from secondhop.nodes.session_settings import SessionSettings
from secondhop.nodes.settings import (
    COUNT_LIMIT,
    DEADLINE_LIMIT_S,
    DEPTH_LIMIT,
    SHORTLIST_LIMIT,
    TOKENS_LIMIT,
    PlanningSettings,
    RankingSettings,
    RecallLimits,
    RecallSettings,
)

_LIMITS = TypeAdapter(RecallLimits)
_RANKING = TypeAdapter(RankingSettings)
_PLANNING = TypeAdapter(PlanningSettings)
_LEARNING = TypeAdapter(LearningSettings)
_SESSION = TypeAdapter(SessionSettings)

MOST: Mapping[str, float] = {
    **dict.fromkeys(
        (
            *(f"limits.{name}" for name in ("k", "rounds", "queries", "rerank_pairs", "maybe")),
            "limits.llm_calls",
            "ranking.rrf_k",
            *(f"planning.{name}" for name in ("rewordings", "facets", "facet_queries")),
        ),
        COUNT_LIMIT,
    ),
    **dict.fromkeys(("limits.llm_tokens", "limits.max_evidence_tokens"), TOKENS_LIMIT),
    "limits.shortlist": SHORTLIST_LIMIT,
    "limits.deadline_s": DEADLINE_LIMIT_S,
    "ranking.depth_factor": DEPTH_LIMIT,
}
"""The most that a setting may be; versions without these bounds recorded what lies beyond."""

SESSION = "session."
"""Before the name of a setting of sessions; a recall has none of these."""


def changed_settings(recorded: Mapping[str, object], changes: Sequence[str]) -> RecallSettings:
    """The settings that a trace recorded, with some of them changed.

    Args:
        recorded: {"limits.k": 6, …}; what this version does not know is left out, what the trace
            does not say has its default, and what is more than may be becomes the most.
        changes: "ranking.min_score=0.3", each.

    Raises:
        UsageError: no such setting, or a value that it cannot have.
    """
    values: dict[str, Any] = RecallSettings().flat()
    values |= {name: at_most(name, value) for name, value in recorded.items() if name in values}
    values |= dict(parsed_change(change, known=list(values)) for change in changes)
    try:
        return RecallSettings(
            limits=_LIMITS.validate_python(part(values, "limits")),
            ranking=_RANKING.validate_python(part(values, "ranking")),
            planning=_PLANNING.validate_python(part(values, "planning")),
            learning=_LEARNING.validate_python(part(values, "learning")),
        )
    except ValidationError as error:
        raise UsageError(told(error)) from error


def at_most(name: str, value: object) -> object:
    """A recorded value, or the most that it may be: every recorded recall can be asked again."""
    most = MOST.get(name)
    return value if most is None or not isinstance(value, int | float) else min(value, most)


def changed_session_settings(changes: Sequence[str]) -> SessionSettings:
    """The settings of sessions that ship, with some of them changed.

    Args:
        changes: "session.ttl_s=600", each.

    Raises:
        UsageError: no such setting, or a value that it cannot have.
    """
    known = [f"{SESSION}{field.name}" for field in fields(SessionSettings)]
    values = dict(parsed_change(change, known=known) for change in changes)
    try:
        return _SESSION.validate_python(part(values, "session"))
    except ValidationError as error:
        raise UsageError(told(error)) from error


def parsed_change(change: str, *, known: Sequence[str]) -> tuple[str, str]:
    """(name, value) of "name=value".

    Raises:
        UsageError: it has another form, or there is no such setting.
    """
    name, equals, value = (part.strip() for part in change.partition("="))
    if not equals or not value:
        raise UsageError(f"{change!r} sets nothing; write NAME=VALUE, like ranking.min_score=0.3")
    if name not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise UsageError(f"no setting {name!r}; {hint}")
    return name, value


def part(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The settings of one part, without its name before them."""
    return {
        key.removeprefix(f"{name}."): value
        for key, value in values.items()
        if key.startswith(f"{name}.")
    }
