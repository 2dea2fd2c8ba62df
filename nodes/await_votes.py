"""Waits for whoever judges the answer: a person or an agent, through the host of the graph."""

import time
from typing import cast

from langgraph.types import interrupt

from secondhop.errors import SecondhopError, UsageError
from secondhop.nodes.services import Services
from secondhop.nodes.session_state import CastBallot, Reply, SessionState, SessionUpdate
from secondhop.nodes.voting import check_rounds_left, check_shown, checked_ballot, shown_ever


async def await_votes(state: SessionState, *, services: Services) -> SessionUpdate:
    """Interrupts with the answer of the round; goes on with votes, a resolution, or the end.

    Nothing happens before the interrupt, for the node runs again from its top when it is resumed.
    A reply that cannot be counted interrupts anew, with the reason in `problem`.
    """
    problem = ""
    while True:
        said = interrupt({**state["answer"], "problem": problem})
        if time.time() >= state["expires_at"]:
            return {"status": "expired", "note": "expired"}
        try:
            return counted(cast(Reply, said), state)
        except SecondhopError as error:
            problem = str(error)


def counted(reply: Reply, state: SessionState) -> SessionUpdate:
    """What a reply means.

    Raises:
        SecondhopError: it means nothing, or cannot be.
    """
    if reply.get("abandon"):
        return {"status": "abandoned", "note": "abandoned"}
    if "resolve" in reply:
        end = reply["resolve"]
        accepted = end.get("accepted")
        if accepted is not None:
            check_shown(accepted, shown_ever(state), state)
        update: SessionUpdate = {"status": "resolved", "note_of_end": end.get("note", "")}
        return update if accepted is None else {**update, "accepted": list(accepted)}
    votes = reply.get("votes")
    if not votes:
        raise UsageError('reply {"votes": {id: vote}, "by": "person"}, {"resolve": {…}} or abandon')
    ballot: CastBallot = checked_ballot(votes, by=reply.get("by", "person"), state=state)
    check_rounds_left(state)
    return {"ballots": [ballot], "note": f"{len(votes)} votes"}
