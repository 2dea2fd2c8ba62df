"""Sessions at rest: recalls that wait for votes, shared by all processes that serve them.

A round passes through three steps, and every write compares the round's number first:

1. `record` with `closes`: the votes stand, nobody can change them any more;
2. somebody computes the next round from them (`claim` says who; it may be done twice, with the
   same outcome);
3. `publish`: the next round takes its place.

Killed between 1 and 3, a process leaves a closed round; whoever touches the session next sees it,
claims it, and goes on with the very votes that were recorded.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

SessionStatus: TypeAlias = Literal["open", "resolved", "abandoned", "expired"]

CastVotes: TypeAlias = Mapping[str, Mapping[str, str]]
"""{voter: {memory id: vote}}."""

ENDED_REMEMBERED_S = 3600.0
"""How long a store can still say how a session ended; of what was in it nothing is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHead:
    """Where a session stands: all that is left of one that has ended."""

    owner: str
    """Whose it is: a digest of the entity's name."""
    status: SessionStatus
    round: int
    """Of the answer that stands, from 1."""
    closed: bool = False
    """The round's votes are cast, and the next round is not published yet."""
    request_id: str = ""
    """Of the vote that closed a round last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A session as a store keeps it."""

    head: SessionHead
    state: str = ""
    """JSON of the round that stands: ids, scores and queries; "" once it has ended."""
    votes: CastVotes = field(default_factory=dict[str, dict[str, str]])
    """Cast in this round."""
    expires_in_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBallot:
    """Votes for one round, on their way into a store."""

    round: int
    by: str
    votes: Mapping[str, str]
    """{memory id: vote}; "" takes one back. The last word of a voter on a memory counts."""
    closes: bool
    """No more votes in this round: the next one is to be computed."""
    request_id: str = ""
    worker: str = ""
    """Who computes it when `closes`; nobody else for the next `lease_s`."""
    lease_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of a write."""

    done: bool
    head: SessionHead | None
    """As it is now, after the write or without it; None: no such session is known."""
    votes: CastVotes = field(default_factory=dict[str, dict[str, str]])
    """All that are cast in the round, when the write was done."""


class SessionStore(Protocol):
    """Keeps open sessions until they end or expire. Only `load` does not write.

    Every method raises StoreError when it could not look or write. Times are the store's own:
    workers need no common clock.
    """

    async def create(self, session_id: str, *, owner: str, state: str, ttl_s: float) -> bool:
        """Keep round 1 of a new session; False when the id is taken."""
        ...

    async def load(self, session_id: str) -> StoredSession | None:
        """The session as it is now; one that has ended has its head alone; None: unknown."""
        ...

    async def record(self, session_id: str, ballot: RoundBallot, *, ttl_s: float) -> Written:
        """Add votes to the round, if it stands and is not closed; lives `ttl_s` from now on."""
        ...

    async def claim(
        self, session_id: str, *, round_number: int, worker: str, lease_s: float
    ) -> bool:
        """Take over a closed round that nobody works on, or keep one's own for longer."""
        ...

    async def publish(
        self, session_id: str, *, round_number: int, state: str, ttl_s: float
    ) -> Written:
        """Put the next round in the place of a closed one; lives `ttl_s` from now on."""
        ...

    async def end(self, session_id: str, *, round_number: int, status: SessionStatus) -> Written:
        """End it, if that round stands: the state goes at once, the head stays for an hour."""
        ...

    async def forget(self, memory_ids: Sequence[str], *, owner: str) -> None:
        """Abandon the owner's open sessions that know one of these memories, and overwrite them.

        A session cannot go on without it: its queries may hold words of the memory.
        """
        ...

    async def aclose(self) -> None:
        """Close connections; sessions stay, except those that only this process holds."""
        ...


def names_one(state: str, memory_ids: Sequence[str]) -> bool:
    """Whether a state, which is JSON, holds one of these ids as a text of its own.

    >>> names_one('{"candidates":{"plan":[1]}}', ["plan"])
    True
    >>> names_one('{"candidates":{"planning":[1]}}', ["plan"])
    False
    """
    return any(json.dumps(memory_id) in state for memory_id in memory_ids)
