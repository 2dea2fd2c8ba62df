"""Votes as a caller gives them: checked, and noted on the answer that stands."""

from collections.abc import Collection, Mapping
from typing import TypeGuard, cast

from secondhop.errors import UsageError
from secondhop.given_values import shown
from secondhop.nodes.session.session_state import CastBallot, SessionState, Voter
from secondhop.nodes.session.voting import (
    check_rounds_left,
    check_shown,
    checked_ballot,
    shown_now,
)
from secondhop.nodes.state import VoteName


def with_votes(
    state: SessionState, votes: Mapping[str, str], *, by: str, go_on: bool
) -> SessionState:
    """The state with these votes noted; "" takes one back, the last word of a voter counts.

    Raises:
        SecondhopError: one vote may not be cast, no round is left, or there is nothing to go on
            with; none is noted.
    """
    check_shown(votes, shown_now(state), state)
    cast_votes = {memory_id: vote for memory_id, vote in votes.items() if vote != ""}
    ballot = checked_ballot(cast_votes, by=by, state=state)
    voters: dict[Voter, dict[str, VoteName]] = {one["by"]: one["votes"] for one in state["ballots"]}
    before = voters.get(ballot["by"], {})
    voters[ballot["by"]] = {
        **{memory_id: vote for memory_id, vote in before.items() if memory_id not in votes},
        **ballot["votes"],
    }
    ballots = [CastBallot(by=one, votes=own) for one, own in sorted(voters.items()) if own]
    if go_on:
        check_rounds_left(state)
        if not ballots:
            raise UsageError("no vote was cast; vote on a memory, or resolve the session")
    return {**state, "ballots": ballots}


def check_is_mapping(votes: object) -> None:
    """Raises UsageError for what are no votes by memory."""
    if not isinstance(votes, Mapping):
        raise UsageError(f'votes must look like {{id: "hot"}}, not {shown(votes)}')


def given_ids(accepted: object) -> list[str]:
    """Raises UsageError for what is no list of ids."""
    if are_ids(accepted):
        return list(accepted)
    raise UsageError(f"accepted must be a list of memory ids, not {shown(accepted)}")


def are_ids(given: object) -> TypeGuard[Collection[str]]:
    """Whether it is a list of texts, or the like."""
    several = isinstance(given, Collection) and not isinstance(given, str)
    return several and all(isinstance(one, str) for one in cast(Collection[object], given))
