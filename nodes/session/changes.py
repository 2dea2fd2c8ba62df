"""What changed between two answers of a session, and which votes caused it."""

from collections.abc import Iterable, Sequence
from typing import Literal

from secondhop.nodes.selection.relevance import is_outside, last_votes
from secondhop.nodes.selection.shortlist import ASKED_BY_CRITIC
from secondhop.nodes.session.session_state import Branch, Change, SessionState, VoteRef
from secondhop.nodes.state import Pick, Vote
from secondhop.ranking.votes import AGAINST, IN_FAVOUR, SUPPRESSED

CRITIC = "critic"


def changes_since(
    state: SessionState, picks: Sequence[Pick], branches: Sequence[Branch]
) -> list[Change]:
    """The memories that came to the answer and its branches since the last round, then those that
    left. `state`: the state before the new answer is in it."""
    before = state.get("shown", {}).get(str(state["round"] - 1))
    if before is None:
        return []
    now = answer_of(picks, branches)
    facets = {pick["memory_id"]: pick["facet_id"] for pick in picks}
    came = [
        arrival(memory_id, facets.get(memory_id, branch), branch, state)
        for memory_id, branch in now.items()
        if before.get(memory_id) != branch
    ]
    left = [
        departure(memory_id, branch, state)
        for memory_id, branch in before.items()
        if memory_id not in now
    ]
    return came + left


def answer_of(picks: Iterable[Pick], branches: Iterable[Branch]) -> dict[str, str]:
    """{memory id: the branch that shows it, or ""}, in the order of the answer, branches last."""
    shown = {pick["memory_id"]: "" for pick in picks}
    for branch in branches:
        shown |= {memory_id: branch["facet_id"] for memory_id in branch["memory_ids"]}
    return shown


def arrival(memory_id: str, facet_id: str, branch: str, state: SessionState) -> Change:
    """Why a memory is new: votes that moved the query that found it, or votes that made room."""
    score = state["candidates"][memory_id]["scores"].get(facet_id)
    query = state["queries"].get(score["query_ids"][0]) if score else None
    moved = [ref.get("memory_id") for ref in query["feedback"]] if query is not None else []
    bent = [
        as_ref(vote)
        for one, vote in last_votes(state).items()
        if one in moved and vote["vote"] not in AGAINST
    ]
    facet = state["facets"][facet_id]["name"]
    if branch:
        why = f"Found on the way that {state.get('sparks', {})[branch]} sparked."
    elif bent and state["candidates"][memory_id]["first_round"] == state["round"]:
        why = f"Found for “{facet}”; its search was bent by these votes."
    elif query is not None and query["origin"] in ASKED_BY_CRITIC:
        why = f"Found for “{facet}”, which the critic asked for."
    elif bent and any(vote["vote"] in IN_FAVOUR for vote in newest(state)):
        bent = list(map(as_ref, newest(state)))
        why = f"Found before for “{facet}”; these votes made room or moved it up."
    else:
        bent = [as_ref(vote) for vote in newest(state) if vote["vote"] in SUPPRESSED]
        why = f"Next in line for “{facet}”" + ("; these votes made room." if bent else ".")
    return changed(memory_id, "came", branch, votes=bent, why=why)


def departure(memory_id: str, branch: str, state: SessionState) -> Change:
    """Why a memory is gone: the vote against it, or the votes that moved others ahead of it."""
    vote = last_votes(state).get(memory_id)
    if vote is not None and vote["vote"] in SUPPRESSED:
        because, why = [as_ref(vote)], f"Voted {vote['vote']} by the {vote['by']}."
    else:
        because = [as_ref(v) for v in newest(state) if v["vote"] in IN_FAVOUR]
        why = "Others took its place."
    return changed(memory_id, "left", branch, votes=because, why=why)


def changed(
    memory_id: str,
    change: Literal["came", "left"],
    branch: str,
    *,
    votes: Sequence[VoteRef],
    why: str,
) -> Change:
    """A change, with the critic's votes separate from those of people and agents."""
    return Change(
        memory_id=memory_id,
        change=change,
        branch=branch,
        because=[vote for vote in votes if vote["by"] != CRITIC],
        critic=[vote for vote in votes if vote["by"] == CRITIC],
        why=why,
    )


def newest(state: SessionState) -> list[Vote]:
    """The votes of people and agents on the previous answer."""
    return [
        vote
        for vote in last_votes(state).values()
        if is_outside(vote) and vote["round"] == state["round"] - 1
    ]


def as_ref(vote: Vote) -> VoteRef:
    """A reference to a vote."""
    return VoteRef(
        memory_id=vote["memory_id"], vote=vote["vote"], by=vote["by"], round=vote["round"]
    )
