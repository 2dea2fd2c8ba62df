"""Counts the votes on the current answer."""

from secondhop.nodes.critique import tally
from secondhop.nodes.services import Services
from secondhop.nodes.session.session_state import SessionState, SessionUpdate
from secondhop.nodes.session.voting import as_votes


async def take_votes(state: SessionState, *, services: Services) -> SessionUpdate:
    """Add the waiting votes of people and agents to the state."""
    votes = as_votes(state["ballots"], state)
    return {
        "votes": votes,
        "ballots": [],
        "stop_reason": "",
        "stop_detail": "",
        "note": tally(votes.values()),
    }
