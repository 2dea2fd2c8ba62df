"""Stored sessions: recalls that wait for votes, shared by all processes that serve them.

A store knows nothing of what a session means. It keeps one document a session under a version
that grows with every write, and every write says which version it follows. Of two workers that
write at once, one is refused, reads again, and decides again. A worker that is killed before its
write has changed nothing.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

SessionStatus: TypeAlias = Literal["open", "resolved", "abandoned", "expired"]

ENDED_REMEMBERED_S = 3600.0
"""How long a store can say how a session ended; nothing else is left of it."""

GRACE_S = 60.0
"""How long the document of an expired session stays: a vote that came in time may still be at
work."""


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
    """What the session knows; b"" once it has ended."""
    expires_in_s: float = 0.0
    """Above 0 while it is open."""


class SessionStore(Protocol):
    """Keeps sessions until they end or expire. Raises StoreError when it cannot look or write.

    Times are the store's own: workers need no common clock.
    """

    async def load(self, session_id: str, *, owner: str) -> StoredSession | None:
        """The session as it is now; one that ended has no document; None: unknown."""
        ...

    async def save(self, session: StoredSession) -> bool:
        """Write it, if the store holds the version before it and that one is open.

        Version 1 is written if the id is free. An open session expires `expires_in_s` from now.
        Of one that ended only owner, id and status stay, for an hour.

        Returns:
            False: another worker has written, or it is over; nothing was changed.
        """
        ...

    async def open_ids(self, *, owner: str) -> list[str]:
        """Ids of the owner's sessions that hold a document."""
        ...

    async def aclose(self) -> None:
        """Close connections; sessions stay."""
        ...
