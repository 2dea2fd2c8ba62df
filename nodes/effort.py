"""Effort levels: how much a recall asks of a language model."""

from collections.abc import Mapping
from typing import Any, Literal

from secondhop.errors import UsageError
from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.services import Services
from secondhop.nodes.state import EFFORTS, PLANNED, Effort, RecallState

MOSTLY_ANNOTATED = 0.5
"""Least share of memories with cues at which cues, and not a plan, tell what a question needs."""

KNOWN: Mapping[str, Effort] = {one: one for one in EFFORTS}
PLANNED_WITH: tuple[Effort, ...] = ("high",)
"""The efforts that ask the planner (`decompose`, `expand`)."""
VOTED_WITH: tuple[Effort, ...] = ("low", "high")
"""The efforts that ask the critic."""


def checked_effort(effort: object, *, annotated: float, services: Services) -> Effort:
    """The effort asked for; by default `none` without a model, `low` if most memories have cues
    (`annotated` is the share that has), else `high`. Raises UsageError if there is no such
    effort, or no model for it."""
    if effort is None:
        if services.planner is None and services.critic is None:
            return "none"
        return "low" if annotated >= MOSTLY_ANNOTATED and services.critic is not None else "high"
    named = named_effort(effort)
    able = services.critic is not None or (named == "high" and services.planner is not None)
    if named != "none" and not able:
        raise UsageError(
            f"effort {named!r} needs a language model, and none is configured; name one (`llm=`, "
            f"or --llm on the command line), or leave out the effort"
        )
    return named


def named_effort(effort: object) -> Effort:
    """The effort of this name. Raises UsageError if there is none."""
    named = KNOWN.get(effort) if isinstance(effort, str) else None
    if named is None:
        raise UsageError(f"effort cannot be {effort!r}; it is one of {', '.join(EFFORTS)}")
    return named


def planning_steps(
    state: Mapping[str, Any], services: Services
) -> list[Literal["decompose", "expand"]]:
    """The steps that ask the planner; [] if none does.

    If most memories have cues, only `expand` runs: cues find what the question names.
    """
    if services.planner is None or state.get("effort", "high") not in PLANNED_WITH:
        return []
    return ["expand"] if mostly_cued(state) else ["decompose", "expand"]


def asks_critic(state: Mapping[str, Any], services: Services) -> bool:
    """Whether the critic is asked in this round; with effort `low`, only in the first."""
    if services.critic is None:
        return False
    effort = state.get("effort", "high")
    return effort in VOTED_WITH and (effort != "low" or state["round"] == 1)


def mostly_cued(state: Mapping[str, Any]) -> bool:
    """Whether most memories have cues."""
    return bool(state.get("annotated", 0.0) >= MOSTLY_ANNOTATED)


def embeds_once(state: Mapping[str, Any]) -> bool:
    """Whether the question is embedded only once, as a text, for both cues and texts.

    If most memories have cues, cues decide, and a second embedding with the model's query prefix
    finds nothing more. A look-up depends on the text and needs the second embedding.
    """
    return mostly_cued(state) and state.get("kind") not in LOOKUPS


def is_unplanned(state: RecallState) -> bool:
    """Whether no query comes from a planner; there is only the question, and playbooks may add to
    it."""
    return not any(query["origin"] in PLANNED for query in state.get("queries", {}).values())
