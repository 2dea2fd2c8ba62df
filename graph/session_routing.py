"""Where a session goes after each node."""

from typing import Literal

from secondhop.nodes.session.session_state import SessionState


def from_start(state: SessionState) -> Literal["begin", "votes"]:
    """Begin, unless the session has begun already; then go on with the votes."""
    return "votes" if state.get("facets") else "begin"


def after_await(state: SessionState) -> Literal["votes", "resolve", "over"]:
    """Start another round, resolve the session, or end because it was abandoned or has expired."""
    if state["status"] == "open":
        return "votes"
    return "resolve" if state["status"] == "resolved" else "over"
