"""The votes of people and agents: which are valid, and how they enter the state."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, cast, get_args

from secondhop.errors import NoRoundsLeftError, NotShownError, UnknownMemoryError, UsageError
from secondhop.nodes.session.session_state import CastBallot, SessionState, Voter
from secondhop.nodes.state import Vote
from secondhop.ranking.votes import VOTES, VoteName

VOTERS: tuple[Voter, ...] = get_args(Voter)


def checked_ballot(votes: Mapping[str, str], *, by: str, state: SessionState) -> CastBallot:
    """The votes of a voter as a ballot; if one vote is not valid, none counts. Raises UsageError
    if there is no such vote or voter; UnknownMemoryError or NotShownError as `check_shown`."""
    names: dict[str, VoteName] = {one: checked_vote(vote) for one, vote in votes.items()}
    check_shown(votes, shown_now(state), state)
    return CastBallot(by=checked_voter(by), votes=names)


def checked_vote(vote: str) -> VoteName:
    """Raises UsageError if there is no such vote."""
    for name in VOTES:
        if vote == name:
            return name
    raise UsageError(f"{vote!r} is not a vote; vote {', '.join(VOTES)}")


def checked_voter(by: str) -> Voter:
    """Raises UsageError for a voter that is neither a person nor an agent."""
    for voter in VOTERS:
        if by == voter:
            return voter
    raise UsageError(f"unknown voter {by!r}; vote as {' or '.join(VOTERS)}")


def check_rounds_left(state: SessionState) -> None:
    """Raises NoRoundsLeftError if this is the last answer; votes on it count in `resolve`."""
    if state["round"] >= state["max_rounds"]:
        raise NoRoundsLeftError(state["session_id"], max_rounds=state["max_rounds"])


def check_shown(memory_ids: Iterable[str], shown: Collection[str], state: SessionState) -> None:
    """Raises UnknownMemoryError or NotShownError for the first id that was not shown."""
    for memory_id in memory_ids:
        if memory_id in shown:
            continue
        if memory_id in state.get("candidates", {}):
            raise NotShownError(memory_id, round_number=state["round"])
        raise UnknownMemoryError(memory_id)


def shown_now(state: SessionState) -> dict[str, str]:
    """{memory id: its branch or ""} of the current answer, in order; branches last."""
    return state.get("shown", {}).get(str(state["round"]), {})


def shown_ever(state: SessionState) -> list[str]:
    """Ids of all memories shown so far, in the order in which they first came."""
    shown = state.get("shown", {})
    rounds = sorted(shown, key=int)
    return list(dict.fromkeys(memory_id for number in rounds for memory_id in shown[number]))


def as_votes(ballots: Iterable[CastBallot], state: SessionState) -> dict[str, Vote]:
    """The ballots in the state's form. A vote on a memory in a branch names that branch."""
    votes: dict[str, Vote] = {}
    shown = shown_now(state)
    places = {memory_id: place for place, memory_id in enumerate(shown)}
    for ballot in ballots:
        in_order = sorted(ballot["votes"], key=lambda one: (places.get(one, len(places)), one))
        for memory_id in in_order:
            branch = shown.get(memory_id, "")
            votes[f"{memory_id}|{state['round']}|{ballot['by']}"] = Vote(
                memory_id=memory_id,
                vote=ballot["votes"][memory_id],
                by=ballot["by"],
                round=state["round"],
                reason="",
                facet_ids=[branch] if branch else [],
                repeats=None,
                replaced_by=None,
                place=None,
            )
    return votes


def expect_mapping(said: object, *, name: str, like: str) -> Mapping[str, Any]:
    """Raises UsageError if the value is not a mapping."""
    if not isinstance(said, Mapping):
        raise UsageError(f"{name} must look like {like}, not {shortened(said)}")
    return cast(Mapping[str, Any], said)


def expect_ids(said: object) -> list[str]:
    """Raises UsageError if the value is not a list of ids."""
    held = said  # the narrowed type of `said` would have no known elements
    if isinstance(said, Collection) and not isinstance(said, str):
        ids = list(cast(Collection[object], said))
        if all(isinstance(one, str) for one in ids):
            return cast(list[str], ids)
    raise UsageError(f"accepted must be a list of memory ids, not {shortened(held)}")


def shortened(said: object) -> str:
    """The first 40 characters of the value's repr."""
    return repr(said)[:40]
