"""Stored sessions: recalls that wait for votes, shared by all processes that serve them.

A store does not interpret sessions. It keeps one document per session under a version that grows
with every write, and every write says which version it follows. If two workers write at once, one
is refused; it reads again and decides again. A worker that is killed before its write has changed
nothing.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

SessionStatus: TypeAlias = Literal["open", "resolved", "abandoned", "expired"]

ENDED_REMEMBERED_S = 3600.0
"""How long a store can say how a session ended. Nothing else of it is kept."""

GRACE_S = 60.0
"""How long the document of an expired session stays, because a worker may still be handling a vote
that came in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A session as a store keeps it."""

    session_id: str
    owner: str
    """Whose it is: a digest of the entity's name."""
    version: int
    """1 for a new session; each write adds 1."""
    status: SessionStatus = "open"
    document: bytes = b""
    """The content of the session; b"" once it has ended."""
    expires_in_s: float = 0.0
    """Seconds until it expires; above 0 while it is open."""


class SessionStore(Protocol):
    """Keeps sessions until they end or expire. Raises StoreError if it cannot read or write.

    Times are by the store's own clock, so workers need no common one.
    """

    async def load(self, session_id: str, *, owner: str) -> StoredSession | None:
        """The session as it is now; None if it is unknown. One that ended has no document."""
        ...

    async def save(self, session: StoredSession) -> bool:
        """Write a session, if the store holds the version before it and that one is open.

        Version 1 is written if the id is free. An open session expires `expires_in_s` from now. Of
        a session that ended, only owner, id and status stay, for an hour.

        Returns:
            False if another worker has written, or if the session is over; nothing was changed.
        """
        ...

    async def open_ids(self, *, owner: str) -> list[str]:
        """Ids of the owner's sessions that hold a document."""
        ...

    async def aclose(self) -> None:
        """Close connections; sessions stay."""
        ...
