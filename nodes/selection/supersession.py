"""Proposes newer memories that may replace those voted wrong; stores nothing."""

from collections.abc import Mapping

import numpy as np

from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.relevance import is_outside, kept_ids, last_votes
from secondhop.nodes.session.session_state import Proposal, SessionState
from secondhop.nodes.state import Vote

SAYS_AS_MUCH = 0.3
"""Least share of a wrong memory's evidence that a newer one must say to be proposed, if people or
agents voted for the newer one."""


def proposals_of(pool: Pool, state: SessionState) -> list[Proposal]:
    """One proposal per memory that people or agents voted wrong, in the order of the votes."""
    votes = last_votes(state)
    return [
        proposal(vote["memory_id"], pool, votes)
        for vote in votes.values()
        if is_outside(vote) and vote["vote"] == "wrong"
    ]


def proposal(memory_id: str, pool: Pool, votes: Mapping[str, Vote]) -> Proposal:
    """The proposal of a newer memory that was voted for and says the same, else of the one whose
    annotation names this one, else of the suspected one, else of none."""
    accepted = newer_and_kept(memory_id, pool, votes)
    if accepted is not None:
        why = "It is newer, was voted for, and is about the same thing."
        return Proposal(memory_id=memory_id, replaced_by=accepted, why=why)
    candidate = pool.candidates.get(memory_id)
    if candidate is not None and (newer := candidate.get("outdated_by")):
        why = "It is newer, and its annotation says that it replaces this one."
        return Proposal(memory_id=memory_id, replaced_by=newer, why=why)
    suspected = pool.replaced_by.get(memory_id)
    why = "It is newer and seems to be an update." if suspected else "No newer memory was found."
    return Proposal(memory_id=memory_id, replaced_by=suspected, why=why)


def newer_and_kept(memory_id: str, pool: Pool, votes: Mapping[str, Vote]) -> str | None:
    """Of the newer memories voted for, the one that says most of it; None if none says enough."""
    rows = pool.rows
    if memory_id not in rows:
        return None
    written = pool.candidates[memory_id]["created_at"]
    newer = [
        one
        for one in kept_ids(votes)
        if one in rows and pool.candidates[one]["created_at"] > written
    ]
    if not newer:
        return None
    said = pool.coverage([rows[memory_id], *(rows[one] for one in newer)]).matrix()[0, 1:]
    best = int(np.argmax(said))
    return newer[best] if said[best] >= SAYS_AS_MUCH else None
