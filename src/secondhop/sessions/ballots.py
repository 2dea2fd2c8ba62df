"""Votes of a caller: checked, and noted on the current answer."""

from collections.abc import Mapping

from secondhop.errors import UsageError
from secondhop.nodes.session.session_state import CastBallot, SessionState, Voter
from secondhop.nodes.session.voting import check_rounds_left, check_shown, checked_ballot, shown_now
from secondhop.ranking.votes import VoteName


def with_votes(
    state: SessionState, votes: Mapping[str, str], *, by: str, go_on: bool
) -> SessionState:
    """The state with these votes noted. A voter's last vote on a memory counts; "" takes it back.

    Raises:
        SecondhopError: a vote may not be cast, no round is left, or there are no votes to go on
            with; no vote is noted.
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
