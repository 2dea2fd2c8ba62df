"""Ends a session: sums up what was accepted, and everything that learning uses."""

from collections.abc import Iterable
from typing import Any

from secondhop.nodes.selection.relevance import is_outside, kept_ids, last_votes
from secondhop.nodes.services import Services
from secondhop.nodes.session.session_state import SessionState, SessionUpdate
from secondhop.nodes.session.voting import VOTERS, as_votes, shown_ever
from secondhop.ranking.votes import VOTES


async def settle(state: SessionState, *, services: Services) -> SessionUpdate:
    """Sum the session up in the form of `ResolvedSession`, including votes not counted yet."""
    votes = {**state.get("votes", {}), **as_votes(state.get("ballots", []), state)}
    counted: SessionState = {**state, "votes": votes}
    liked = kept_ids(last_votes(counted), shown=shown_ever(state))
    accepted = list(dict.fromkeys(state.get("accepted", liked)))
    return {
        "votes": votes,
        "resolved": {
            "session_id": state["session_id"],
            "entity": services.entity,
            "question": state["question"],
            "asked_at": state["asked_at"],
            "rounds": state["round"],
            "shown": shown_ever(state),
            "retrieved": list(
                dict.fromkeys([*shown_ever(state), *sorted(state.get("candidates", {}))])
            ),
            "votes": list(by_round(counted)),
            "accepted": accepted,
            "sparks": spark_pairs(counted, accepted),
            "proposals": state["proposals"],
            "note": state.get("note_of_end", ""),
        },
        "note": f"{len(accepted)} accepted",
    }


def by_round(state: SessionState) -> Iterable[dict[str, Any]]:
    """The votes of people and agents, as `VotesOfRound`."""
    outside = [vote for vote in state["votes"].values() if is_outside(vote)]
    for number in sorted({vote["round"] for vote in outside}):
        for by in VOTERS:
            own = [vote for vote in outside if (vote["round"], vote["by"]) == (number, by)]
            ids: dict[str, list[str]] = {
                name: [one["memory_id"] for one in own if one["vote"] == name] for name in VOTES
            }
            if own:
                yield {"round": number, "by": by, **ids}


def spark_pairs(state: SessionState, accepted: Iterable[str]) -> list[dict[str, Any]]:
    """The accepted memories of each branch, in the form of `SparkPair`.

    A spark vote of the last round has no branch yet, so it has no entry.
    """
    from_branch = {
        memory_id: branch
        for shown in state.get("shown", {}).values()
        for memory_id, branch in shown.items()
        if branch
    }
    sparks = state.get("sparks", {})
    return [
        {"spark": spark, "accepted": [one for one in accepted if from_branch.get(one) == facet_id]}
        for facet_id, spark in sparks.items()
    ]
