"""Looks up the texts for the answer of a round; it decides nothing."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from secondhop.nodes.budget import spent_fields
from secondhop.nodes.evidence.near_cues import NearCues, first_near_cues, near_cues
from secondhop.nodes.resolve import evidence_entries, recalled
from secondhop.nodes.selection.contested import contested
from secondhop.nodes.selection.pool import evidence_of
from secondhop.nodes.selection.preferences import given
from secondhop.nodes.selection.relevance import is_outside, last_votes
from secondhop.nodes.selection.staleness import marked
from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.session.session_state import SessionState, SessionUpdate
from secondhop.nodes.session.voting import shown_now
from secondhop.nodes.state import Vote
from secondhop.wording import counted


async def present(state: SessionState, *, services: Services) -> SessionUpdate:
    """The current answer in the form of `SessionAnswer`, without memories deleted meanwhile."""
    shown = shown_now(state)
    facets = {pick["memory_id"]: pick["facet_id"] for pick in state.get("picks", [])}
    hidden = await services.hidden.of(state, services)
    memories = await shown_memories(shown, facets, state, hidden=hidden, services=services)
    votes = last_votes(state)
    kept = [one for one in memories if said_outside(one, votes)]
    critic = {one: votes[one]["vote"] for one in memories if one in votes and one not in kept}
    earlier = {
        memory_id
        for number, ids in state.get("shown", {}).items()
        if int(number) < state["round"]
        for memory_id in ids
    }
    services.hidden.forget(state["trace_id"])
    return {
        "answer": {
            "session_id": state["session_id"],
            "entity": services.entity,
            "question": state["question"],
            "asked_at": state["asked_at"],
            "round": state["round"],
            "rounds_left": max(0, state["max_rounds"] - state["round"]),
            "expires_at": datetime.fromtimestamp(state["expires_at"], UTC).isoformat(),
            "memories": [memory for one, memory in memories.items() if not shown[one]],
            "kept": kept,
            "new": [one for one in memories if one not in earlier],
            "branches": branch_views(memories, state),
            "preferences": given(state, hidden),
            "changes": [  # a branch is named by the id of the memory that sparked it
                {**change, "branch": state.get("sparks", {}).get(change["branch"], "")}
                for change in state["changes"]
            ],
            "converged": state["converged"],
            "why": state["why"],
            "proposals": state["proposals"],
            "critic": critic,
            "cast": {ballot["by"]: ballot["votes"] for ballot in state.get("ballots", [])},
            "degraded": sorted(set(state.get("degraded", {}).values())),
            "spent": spent_fields(state, services.price) | {"ms": state["round_ms"]},
            "trace_id": state["trace_id"],
        },
        "note": counted(len(memories), "memory"),
    }


async def shown_memories(
    shown: Mapping[str, str],
    facets: Mapping[str, str],
    state: SessionState,
    *,
    hidden: Hidden,
    services: Services,
) -> dict[str, dict[str, Any]]:
    """{memory id: the memory in the form of `RecalledMemory`}, in the order of the answer."""
    min_score = services.settings.ranking.min_score
    served = {one: shown[one] or facets.get(one, "") for one in shown}
    evidence, near = await shown_evidence(served, state, services=services)
    entries = await evidence_entries(evidence, state, near, services=services, picks=served)
    views = [
        recalled(one, served[one] or None, ids, entries, state, min_score=min_score)
        for one, ids in evidence.items()
        if any(passage_id in entries for passage_id in ids)
    ]
    votes = last_votes(state)
    views = [
        {**view, "vote": view["vote"] if said_outside(view["id"], votes) else ""} for view in views
    ]
    told = await contested(marked(views, hidden), hidden, state["as_of"], services=services)
    return {view["id"]: view for view in told}


async def shown_evidence(
    served: Mapping[str, str], state: SessionState, *, services: Services
) -> tuple[dict[str, list[str]], NearCues]:
    """({memory id: its passages}, the best first; which of them are near its cue). `served`:
    {memory id: the facet that gave it its place}; "": none did."""
    candidates = state.get("candidates", {})
    found = [candidates[one] for one in served if one in candidates]
    owned = await services.reader.passage_ids([one["memory_id"] for one in found])
    near = await near_cues(found, state, owned, services=services)
    evidence = {
        one["memory_id"]: first_near_cues(
            evidence_of(one, served[one["memory_id"]]), near.get(one["memory_id"])
        )
        for one in found
    }
    return evidence, near


def said_outside(memory_id: str, votes: Mapping[str, Vote]) -> bool:
    """Whether a person or an agent has voted on a memory in this session."""
    return memory_id in votes and is_outside(votes[memory_id])


def branch_views(memories: Mapping[str, Any], state: SessionState) -> list[dict[str, Any]]:
    """The branches with their memories."""
    candidates = state.get("candidates", {})
    return [
        {
            "sparked_by": branch["sparked_by"],
            "title": candidates[branch["sparked_by"]]["title"],
            "memories": [memories[one] for one in branch["memory_ids"] if one in memories],
        }
        for branch in state["branches"]
        if branch["sparked_by"] in candidates
    ]
