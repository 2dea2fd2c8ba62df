"""The state of a session: a recall's state, and what sessions add."""

from operator import or_  # pyright: ignore[reportUnknownVariableType]
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict  # pydantic wants it before Python 3.12

from secondhop.nodes.state import RecallInput, RecallState
from secondhop.ranking.votes import VoteName
from secondhop.stores.sessions import SessionStatus

Voter: TypeAlias = Literal["person", "agent"]
"""Voters other than the critic."""


class VoteRef(TypedDict):
    """A reference to a vote that caused a change."""

    memory_id: str
    vote: VoteName
    by: str
    round: int


class Change(TypedDict):
    """One difference between two answers of a session."""

    memory_id: str
    change: Literal["came", "left"]
    branch: str
    """Facet id of the branch that it came to or left; "" for the answer itself."""
    because: list[VoteRef]
    """Votes of people and agents that caused it; []: none did."""
    critic: list[VoteRef]
    """Votes of the critic that caused it."""
    why: str


class Branch(TypedDict):
    """What a spark led to."""

    facet_id: str
    sparked_by: str
    memory_ids: list[str]
    """Memories that were voted for come first."""


class Proposal(TypedDict):
    """A memory that was voted wrong, and the newer one that may replace it. Nothing is stored."""

    memory_id: str
    replaced_by: str | None
    why: str


class CastBallot(TypedDict):
    """Votes of one voter that have not been counted yet."""

    by: Voter
    votes: dict[str, VoteName]


class Reply(TypedDict):
    """A host's reply to an interrupt of the session graph: votes, `resolve` (with or without votes
    on the current answer), or `abandon`."""

    votes: NotRequired[dict[str, str]]
    """{memory id: vote}; without `resolve`, the next round begins."""
    by: NotRequired[str]
    """Who votes; default person."""
    resolve: NotRequired[dict[str, Any]]
    """{"accepted": [ids] or None, "note": ""}."""
    abandon: NotRequired[bool]


class SessionInput(RecallInput):
    """What a host passes to a session graph."""

    session_id: NotRequired[str]
    max_rounds: NotRequired[int | None]
    """Default `SessionSettings.max_rounds`."""
    ttl_s: NotRequired[float | None]
    """Default `SessionSettings.ttl_s`."""


class SessionState(RecallState, total=False):
    """Everything a session knows between two steps."""

    session_id: str
    max_rounds: int
    ttl_s: float
    expires_at: float
    """Epoch seconds."""
    ballots: list[CastBallot]
    """Votes on the current answer, until `take_votes` counts them."""
    shown: Annotated[dict[str, dict[str, str]], or_]
    """{round ("1", "2", …): {memory id: facet of the branch that showed it, or ""}}, in order."""
    branches: list[Branch]
    changes: list[Change]
    proposals: list[Proposal]
    converged: bool
    round_ms: float
    """Wall time of the round, milliseconds."""
    why: str
    """One sentence: why another round would or would not bring something."""
    requests: list[str]
    """Ids of the requests whose votes have opened a round. A client that lost the reply may repeat
    its request."""
    status: SessionStatus
    accepted: list[str]
    note_of_end: str
    answer: dict[str, Any]
    """`SessionAnswer` as plain values; written by `present`."""
    resolved: dict[str, Any]
    """`ResolvedSession` as plain values; written by `settle`."""


class SessionUpdate(SessionState, total=False):
    """What a node of a session may return."""

    note: str
    """Goes into the trace; the step wrapper removes it from the update."""


class SessionOutput(TypedDict):
    """What a host gets back."""

    answer: dict[str, Any]
    status: SessionStatus
    resolved: NotRequired[dict[str, Any]]
