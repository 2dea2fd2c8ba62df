"""Waits for votes of a person or an agent, through the graph's host."""

import time

from langgraph.types import interrupt

from secondhop.errors import SecondhopError, UsageError
from secondhop.nodes.services import Services
from secondhop.nodes.session.session_state import CastBallot, SessionState, SessionUpdate
from secondhop.nodes.session.voting import (
    check_rounds_left,
    check_shown,
    checked_ballot,
    expect_ids,
    expect_mapping,
    shortened,
    shown_ever,
)


async def await_votes(state: SessionState, *, services: Services) -> SessionUpdate:
    """Interrupt with the answer of the round, and go on when the host resumes with a reply.

    Nothing happens before the interrupt, because a resumed node runs again from its top. An invalid
    reply leads to another interrupt, with the reason in `problem`.
    """
    problem = ""
    while True:
        said = interrupt({**state["answer"], "problem": problem})
        if time.time() >= state["expires_at"]:
            return {"status": "expired", "note": "expired"}
        try:
            update = update_from_reply(said, state)
        except SecondhopError as error:
            problem = str(error)
        else:
            # the round that follows is due from now on, however long the votes took
            return {**update, "deadline_at": time.time() + services.settings.limits.deadline_s}


def update_from_reply(said: object, state: SessionState) -> SessionUpdate:
    """The update that a reply asks for. A host may send anything; `Reply` is the valid form. Raises
    SecondhopError if the reply has another form, or its votes are not valid."""
    reply = expect_mapping(said, name="a reply", like='{"votes": {id: "hot"}} or {"resolve": {}}')
    if reply.get("abandon"):
        return {"status": "abandoned", "note": "abandoned"}
    ballot = None
    if reply.get("votes") is not None:
        votes = expect_mapping(reply["votes"], name="votes", like='{id: "hot"}')
        ballot = checked_ballot(votes, by=reply.get("by", "person"), state=state) if votes else None
    if reply.get("resolve") is not None:
        return resolution(reply["resolve"], ballot, state)
    if ballot is None:
        raise UsageError('reply {"votes": {id: vote}, "by": "person"}, {"resolve": {…}} or abandon')
    check_rounds_left(state)
    return {"ballots": [ballot], "note": f"{len(ballot['votes'])} cast"}


def resolution(said: object, ballot: CastBallot | None, state: SessionState) -> SessionUpdate:
    """The update that ends the session. Votes in the same reply are on the current answer. Raises
    SecondhopError if an accepted memory was never shown, or the reply has another form."""
    end = expect_mapping(said, name="resolve", like='{"accepted": [ids], "note": ""}, or {}')
    note = end.get("note", "")
    if not isinstance(note, str):
        raise UsageError(f"note must be text, not {shortened(note)}")
    update: SessionUpdate = {
        "status": "resolved",
        "note_of_end": note,
        "ballots": [ballot] if ballot else [],
    }
    if end.get("accepted") is None:
        return update
    accepted = expect_ids(end["accepted"])
    check_shown(accepted, shown_ever(state), state)
    return {**update, "accepted": accepted}
