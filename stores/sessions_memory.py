"""Sessions of this process alone: gone when it ends."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from secondhop.stores.sessions import (
    ENDED_REMEMBERED_S,
    CastVotes,
    RoundBallot,
    SessionHead,
    SessionStatus,
    StoredSession,
    Written,
    names_one,
)

_NO_SESSION = Written(done=False, head=None)


@dataclass(slots=True)
class _Kept:
    """One session, as it changes."""

    head: SessionHead
    state: str
    expires_at: float
    votes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    worker: str = ""
    leased_until: float = 0.0

    def cast(self) -> CastVotes:
        """A copy that nobody changes."""
        return {by: dict(votes) for by, votes in self.votes.items() if votes}


def _end(kept: _Kept, status: SessionStatus, *, at: float) -> None:
    kept.head = replace(kept.head, status=status)
    kept.state, kept.votes, kept.expires_at = "", {}, at


class MemorySessions:
    """A `SessionStore` in a dictionary; safe to use from any thread."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock`: seconds from any beginning."""
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}

    async def create(self, session_id: str, *, owner: str, state: str, ttl_s: float) -> bool:
        """See `SessionStore`."""
        with self._lock:
            self._forget_the_ended()
            if session_id in self._kept:
                return False
            head = SessionHead(owner=owner, status="open", round=1)
            self._kept[session_id] = _Kept(head, state, self._clock() + ttl_s)
            return True

    async def load(self, session_id: str) -> StoredSession | None:
        """See `SessionStore`."""
        with self._lock:
            kept = self._kept.get(session_id)
            if kept is None or self._forgotten(kept):
                return None
            if (left_s := self._left_s(kept)) <= 0 or kept.head.status != "open":
                return StoredSession(head=self._head_of(kept))
            return StoredSession(
                head=kept.head, state=kept.state, votes=kept.cast(), expires_in_s=left_s
            )

    async def record(self, session_id: str, ballot: RoundBallot, *, ttl_s: float) -> Written:
        """See `SessionStore`."""
        with self._lock:
            kept, refused = self._standing(session_id, ballot.round, closed=False)
            if kept is None:
                return refused
            own = kept.votes.setdefault(ballot.by, {})
            own |= ballot.votes
            kept.votes[ballot.by] = {one: vote for one, vote in own.items() if vote}
            if ballot.closes:
                kept.head = replace(kept.head, closed=True, request_id=ballot.request_id)
                kept.worker, kept.leased_until = ballot.worker, self._clock() + ballot.lease_s
            kept.expires_at = self._clock() + ttl_s
            return Written(done=True, head=kept.head, votes=kept.cast())

    async def claim(
        self, session_id: str, *, round_number: int, worker: str, lease_s: float
    ) -> bool:
        """See `SessionStore`."""
        with self._lock:
            kept, _ = self._standing(session_id, round_number, closed=True)
            if kept is None or (kept.worker != worker and kept.leased_until > self._clock()):
                return False
            kept.worker, kept.leased_until = worker, self._clock() + lease_s
            return True

    async def publish(
        self, session_id: str, *, round_number: int, state: str, ttl_s: float
    ) -> Written:
        """See `SessionStore`."""
        with self._lock:
            kept, refused = self._standing(session_id, round_number, closed=True)
            if kept is None:
                return refused
            votes = kept.cast()
            kept.head = replace(kept.head, round=round_number + 1, closed=False)
            kept.state, kept.votes, kept.expires_at = state, {}, self._clock() + ttl_s
            return Written(done=True, head=kept.head, votes=votes)

    async def end(self, session_id: str, *, round_number: int, status: SessionStatus) -> Written:
        """See `SessionStore`."""
        with self._lock:
            kept, refused = self._standing(session_id, round_number, closed=None)
            if kept is None:
                return refused
            votes = kept.cast()
            _end(kept, status, at=self._clock())
            return Written(done=True, head=kept.head, votes=votes)

    async def forget(self, memory_ids: Sequence[str], *, owner: str) -> None:
        """See `SessionStore`."""
        with self._lock:
            for kept in self._kept.values():
                if kept.head.owner == owner and names_one(kept.state, memory_ids):
                    _end(kept, "abandoned", at=self._clock())

    async def aclose(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    # --- inside, under the lock ---

    def _standing(
        self, session_id: str, round_number: int, *, closed: bool | None
    ) -> tuple[_Kept | None, Written]:
        """The session, if it may be written; else why not."""
        kept = self._kept.get(session_id)
        if kept is None or self._forgotten(kept):
            return None, _NO_SESSION
        head = self._head_of(kept)
        if head.status != "open" or head.round != round_number or closed not in {None, head.closed}:
            return None, Written(done=False, head=head)
        return kept, _NO_SESSION

    def _head_of(self, kept: _Kept) -> SessionHead:
        expired = kept.head.status == "open" and self._left_s(kept) <= 0
        return replace(kept.head, status="expired") if expired else kept.head

    def _left_s(self, kept: _Kept) -> float:
        return kept.expires_at - self._clock()

    def _forgotten(self, kept: _Kept) -> bool:
        return self._left_s(kept) <= -ENDED_REMEMBERED_S

    def _forget_the_ended(self) -> None:
        """What nobody can vote on any more need not be kept."""
        self._kept = {one: kept for one, kept in self._kept.items() if not self._forgotten(kept)}
        for kept in self._kept.values():
            if self._left_s(kept) <= 0:
                kept.state, kept.votes = "", {}
