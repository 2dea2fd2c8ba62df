"""Effort levels: how much a recall asks of a language model."""

from collections.abc import Mapping
from typing import Any, Literal

from secondhop.errors import UsageError
from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.services import Services
from secondhop.nodes.state import EFFORTS, PLANNED, Effort, RecallState

MOSTLY_ANNOTATED = 0.5
"""Share of memories with cues from which on cues say what a question needs, and no plan."""


KNOWN: Mapping[str, Effort] = {one: one for one in EFFORTS}


def checked_effort(effort: object, *, annotated: float, services: Services) -> Effort:
    """What was asked for; by default low where most memories have cues, and high elsewhere.

    Args:
        annotated: share of the memories that have cues.

    Raises:
        UsageError: no such effort, or one that needs a model where there is none.
    """
    if effort is None:
        if services.planner is None and services.critic is None:
            return "none"
        return "low" if annotated >= MOSTLY_ANNOTATED and services.critic is not None else "high"
    named = KNOWN.get(effort) if isinstance(effort, str) else None
    if named is None:
        raise UsageError(f"effort cannot be {effort!r}; it is one of {', '.join(EFFORTS)}")
    able = services.critic is not None or (named == "high" and services.planner is not None)
    if named != "none" and not able:
        raise UsageError(
            f"effort {named!r} asks a language model, and none is configured; name one (`llm=`, or "
            f"--llm on the command line), or leave the effort out"
        )
    return named


def plans(state: Mapping[str, Any], services: Services) -> bool:
    """Whether the planner is asked."""
    return services.planner is not None and state.get("effort", "high") == "high"


def planning_steps(
    state: Mapping[str, Any], services: Services
) -> list[Literal["decompose", "expand"]]:
    """The steps that ask the planner: where most memories have cues, what a question names is
    found by them, and only what it implies is planned."""
    if not plans(state, services):
        return []
    return ["expand"] if mostly_cued(state) else ["decompose", "expand"]


def votes(state: Mapping[str, Any], services: Services) -> bool:
    """Whether the critic is asked in this round: with low effort it is asked once."""
    if services.critic is None:
        return False
    effort = state.get("effort", "high")
    return bool(effort == "high" or (effort == "low" and state["round"] == 1))


def mostly_cued(state: Mapping[str, Any]) -> bool:
    """Whether most memories have cues."""
    return bool(state.get("annotated", 0.0) >= MOSTLY_ANNOTATED)


def embeds_once(state: Mapping[str, Any]) -> bool:
    """Whether the question is embedded as texts are, for cues and texts alike.

    Where most memories have cues, these decide, and a second embedding, with what the model wants
    before a query, finds nothing more. A look-up goes by the text, and needs it.
    """
    return mostly_cued(state) and state.get("kind") not in LOOKUPS


def is_unplanned(state: RecallState) -> bool:
    """Whether no planner has said what to look for: the question stands alone, and what playbooks
    suggest for it."""
    return not any(query["origin"] in PLANNED for query in state.get("queries", {}).values())
