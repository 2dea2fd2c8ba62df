"""Where a session goes after each node."""

from typing import Literal

from secondhop.nodes.session.session_state import SessionState


def from_start(state: SessionState) -> Literal["begin", "votes"]:
    """A session that has an answer already goes on with the votes on it."""
    return "votes" if state.get("facets") else "begin"


def after_await(state: SessionState) -> Literal["votes", "resolve", "over"]:
    """Another round, the sum, or nothing more."""
    if state["status"] == "open":
        return "votes"
    return "resolve" if state["status"] == "resolved" else "over"
