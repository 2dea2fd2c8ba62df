"""The rules that end a recall; the trace names the first that applies."""

from secondhop.nodes.budget import seconds_left, usage_in
from secondhop.nodes.config import RecallLimits
from secondhop.nodes.effort import asks_critic
from secondhop.nodes.selection.relevance import last_votes
from secondhop.nodes.services import Services
from secondhop.nodes.state import TOO_LATE, RecallState
from secondhop.ranking.votes import IN_FAVOUR
from secondhop.wording import counted

STABLE = 0.8
"""Jaccard of what two rounds voted for, from which on they agree."""


def stop_rule(state: RecallState, services: Services) -> tuple[str, str]:
    """(rule, detail), or ("", "") to go on."""
    settings = services.settings
    if rule := spent_rule(state, settings.limits):
        return rule
    if services.critic is None or state.get("effort") == "none":
        return "complete", "no critic asks for more"
    if state["round"] <= 1:
        return "", ""
    if state.get("effort") == "low":
        return "complete", "what the critic asked for was searched, and it is asked only once"
    return settled_rule(state, judged=asks_critic(state, services)) or ("", "")


def spent_rule(state: RecallState, limits: RecallLimits) -> tuple[str, str] | None:
    """Ends a recall if the critic is content or gave no verdict, or if a limit is reached."""
    usage = usage_in(state.get("spent", {}))
    late = not seconds_left(state)
    rankings = state.get("rankings", {}).values()
    if late and any(TOO_LATE in ranking["error"] for ranking in rankings):
        return (
            "deadline",
            f"the limit of {limits.deadline_s:g} s was reached; some searches did not come back",
        )
    if state["content"]:
        return "converged", "the critic is satisfied"
    if late:
        rounds = counted(state["round"], "round")
        return (
            "deadline",
            f"the limit of {limits.deadline_s:g} s was reached after {rounds}, so no other began",
        )
    if verdict_place(state["round"]) in state.get("degraded", {}):
        stands = "what the search found is the answer"
        if state["round"] > 1:
            stands = "its earlier votes stand"
        return "no_verdict", f"the critic could not be asked; {stands}"
    if usage.calls >= limits.llm_calls:
        return "max_llm_calls", f"the limit of {counted(limits.llm_calls, 'model call')} is reached"
    if usage.charged_tokens >= limits.llm_tokens:
        return "max_tokens", f"{limits.llm_tokens:,} model tokens were used"
    if state["round"] >= limits.rounds:
        return "max_rounds", f"the limit of {counted(limits.rounds, 'round')} is reached"
    return None


def verdict_place(round_number: int) -> str:
    """The key in `degraded` that says why a round has no verdict."""
    return f"critique {round_number}"


def settled_rule(state: RecallState, *, judged: bool) -> tuple[str, str] | None:
    """Ends a recall if another round would bring the same; not for the first round. `judged`:
    whether the critic was asked in this round."""
    if not set(state["candidates"]) - set(state["seen"]):
        return "no_new_candidates", "the last round found nothing new"
    if judged and nearly_same(*(in_favour(state, until=state["round"] - ago) for ago in (1, 0))):
        return "stable", "the hot and warm memories of two rounds are the same"
    return None


def in_favour(state: RecallState, *, until: int) -> frozenset[str]:
    """Ids of memories that are hot or warm by the votes up to this round."""
    known = {key: vote for key, vote in state.get("votes", {}).items() if vote["round"] <= until}
    last = last_votes({**state, "votes": known}).items()
    return frozenset(memory_id for memory_id, vote in last if vote["vote"] in IN_FAVOUR)


def nearly_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the Jaccard of two sets is at least `STABLE`; two empty sets are the same."""
    return len(one & other) >= STABLE * len(one | other)
