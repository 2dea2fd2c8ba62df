"""Sessions in a file: they outlive a process, and every process on this machine may serve them.

A session that is over leaves no word in the file, nor in SQLite's log beside it: what is deleted is
overwritten (`secure_delete`), and then the log is emptied, at once for one that was ended, and by
an alarm for one that expires while nobody looks.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from secondhop.errors import StoreError
from secondhop.stores.alarm import Alarm
from secondhop.stores.database import Database
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

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    session_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    status TEXT NOT NULL,
    round INTEGER NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    request_id TEXT NOT NULL DEFAULT '',
    worker TEXT NOT NULL DEFAULT '',
    leased_until REAL NOT NULL DEFAULT 0,
    expires_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS votes (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    voter TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    vote TEXT NOT NULL,
    PRIMARY KEY (session_id, voter, memory_id)
) WITHOUT ROWID;
"""

_HEAD = "owner, status, round, closed, request_id, expires_at"

_LOG = logging.getLogger(__name__)

_PATIENCE_MS = 1_000
"""How long whoever ends a session waits for others to let go of the log."""
_AGAIN_S = 10.0
"""When to try again, if they did not."""


class SqliteSessions:
    """A `SessionStore` in one SQLite file, made with the first session."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        """`clock`: epoch seconds."""
        self._database = Database(path)
        self._clock = clock
        self._alarm = Alarm(self._sweep)
        self._words_in_log = True
        """Of sessions that are over; at first, those of a process that was killed."""

    async def create(self, session_id: str, *, owner: str, state: str, ttl_s: float) -> bool:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._create, session_id, owner, state, ttl_s)

    async def load(self, session_id: str) -> StoredSession | None:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._load, session_id)

    async def record(self, session_id: str, ballot: RoundBallot, *, ttl_s: float) -> Written:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._record, session_id, ballot, ttl_s)

    async def claim(
        self, session_id: str, *, round_number: int, worker: str, lease_s: float
    ) -> bool:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._claim, session_id, round_number, worker, lease_s)

    async def publish(
        self, session_id: str, *, round_number: int, state: str, ttl_s: float
    ) -> Written:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._publish, session_id, round_number, state, ttl_s)

    async def end(self, session_id: str, *, round_number: int, status: SessionStatus) -> Written:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._end, session_id, round_number, status)

    async def forget(self, memory_ids: Sequence[str], *, owner: str) -> None:
        """See `SessionStore`."""
        await asyncio.to_thread(self._forget, memory_ids, owner)

    async def aclose(self) -> None:
        """See `SessionStore`."""
        await asyncio.to_thread(self._close)

    # --- blocking parts, for worker threads ---

    def _close(self) -> None:
        self._alarm.close()
        with suppress(StoreError):
            self._tidy()
        self._database.close()

    def _create(self, session_id: str, owner: str, state: str, ttl_s: float) -> bool:
        self._database.path.parent.mkdir(parents=True, exist_ok=True)
        if not self._database.path.exists():
            with self._database.creating() as connection:
                connection.executescript(_SCHEMA)
        with self._database.writing() as connection:
            self._forget_the_ended(connection)
            created = connection.execute(
                "INSERT INTO sessions (session_id, owner, status, round, state, expires_at) "
                "VALUES (?, ?, 'open', 1, ?, ?) ON CONFLICT DO NOTHING",
                (session_id, owner, state, self._clock() + ttl_s),
            )
        self._alarm.set(ttl_s)
        self._empty_the_log()
        return created.rowcount == 1

    def _load(self, session_id: str) -> StoredSession | None:
        if not self._database.path.exists():
            return None
        with self._database.reading() as connection:
            head, left_s = self._head(connection, session_id)
            if head is None or head.status != "open":
                return StoredSession(head=head) if head is not None else None
            (state,) = connection.execute(
                "SELECT state FROM sessions WHERE session_id = ?", (session_id,)
            ).fetchone()
            votes = _cast(connection, session_id)
            return StoredSession(head=head, state=state, votes=votes, expires_in_s=left_s)

    def _record(self, session_id: str, ballot: RoundBallot, ttl_s: float) -> Written:
        def write(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT INTO votes VALUES (?, ?, ?, ?) "
                "ON CONFLICT (session_id, voter, memory_id) DO UPDATE SET vote = excluded.vote",
                [(session_id, ballot.by, memory_id, v) for memory_id, v in ballot.votes.items()],
            )
            connection.execute(
                "DELETE FROM votes WHERE session_id = ? AND vote = ''", (session_id,)
            )
            self._live_on(connection, session_id, ttl_s)
            if ballot.closes:
                connection.execute(
                    "UPDATE sessions SET closed = 1, request_id = ?, worker = ?, leased_until = ? "
                    "WHERE session_id = ?",
                    (
                        ballot.request_id,
                        ballot.worker,
                        self._clock() + ballot.lease_s,
                        session_id,
                    ),
                )

        return self._written(session_id, ballot.round, write, closed=False)

    def _claim(self, session_id: str, round_number: int, worker: str, lease_s: float) -> bool:
        if not self._database.path.exists():
            return False
        with self._database.writing() as connection:
            if not _stands(self._head(connection, session_id)[0], round_number, closed=True):
                return False
            now = self._clock()
            written = connection.execute(
                "UPDATE sessions SET worker = ?, leased_until = ? "
                "WHERE session_id = ? AND (worker = ? OR leased_until <= ?)",
                (worker, now + lease_s, session_id, worker, now),
            )
            return written.rowcount == 1

    def _publish(self, session_id: str, round_number: int, state: str, ttl_s: float) -> Written:
        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE sessions SET round = round + 1, closed = 0, state = ? WHERE session_id = ?",
                (state, session_id),
            )
            self._live_on(connection, session_id, ttl_s)

        return self._written(session_id, round_number, write, closed=True, drops_votes=True)

    def _end(self, session_id: str, round_number: int, status: SessionStatus) -> Written:
        def write(connection: sqlite3.Connection) -> None:
            self._put_an_end(connection, session_id, status)

        return self._written(session_id, round_number, write, closed=None, drops_votes=True)

    def _forget(self, memory_ids: Sequence[str], owner: str) -> None:
        if not self._database.path.exists():
            return
        with self._database.writing() as connection:
            self._forget_the_ended(connection)
            open_ones = connection.execute(
                "SELECT session_id, state FROM sessions WHERE owner = ? AND status = 'open'",
                (owner,),
            ).fetchall()
            for session_id, state in open_ones:
                if names_one(state, memory_ids):
                    self._put_an_end(connection, session_id, "abandoned")
                    connection.execute("DELETE FROM votes WHERE session_id = ?", (session_id,))
        with self._database.creating() as connection:  # what ended before stands in the log, too
            emptied = _emptied(connection)
        if not emptied:
            raise StoreError(
                f"another program keeps {self._database.path} busy, so that what sessions knew of "
                f"the memory cannot be overwritten; forget it again when that program is done"
            )

    def _put_an_end(
        self, connection: sqlite3.Connection, session_id: str, status: SessionStatus
    ) -> None:
        """The head stays, the state goes."""
        self._words_in_log = True
        connection.execute(
            "UPDATE sessions SET status = ?, state = '' WHERE session_id = ?", (status, session_id)
        )
        self._live_on(connection, session_id, 0.0)

    def _written(
        self,
        session_id: str,
        round_number: int,
        write: Callable[[sqlite3.Connection], None],
        *,
        closed: bool | None,
        drops_votes: bool = False,
    ) -> Written:
        """One transaction: compare, write, tell; and then no word of what is over is left."""
        if not self._database.path.exists():
            return Written(done=False, head=None)
        told = self._compared(session_id, round_number, write, closed=closed, drops=drops_votes)
        self._empty_the_log()
        return told

    def _compared(
        self,
        session_id: str,
        round_number: int,
        write: Callable[[sqlite3.Connection], None],
        *,
        closed: bool | None,
        drops: bool,
    ) -> Written:
        with self._database.writing() as connection:
            self._forget_the_ended(connection)
            head, _ = self._head(connection, session_id)
            if not _stands(head, round_number, closed=closed):
                return Written(done=False, head=head)
            write(connection)
            votes = _cast(connection, session_id)
            if drops:
                connection.execute("DELETE FROM votes WHERE session_id = ?", (session_id,))
            return Written(done=True, head=self._head(connection, session_id)[0], votes=votes)

    def _head(
        self, connection: sqlite3.Connection, session_id: str
    ) -> tuple[SessionHead | None, float]:
        """(head, seconds left); None when nothing is known of it any more."""
        row = connection.execute(
            f"SELECT {_HEAD} FROM sessions WHERE session_id = ?", (session_id,)
        ).fetchone()
        if row is None or (left_s := row[5] - self._clock()) <= -ENDED_REMEMBERED_S:
            return None, 0.0
        owner, status, round_number, closed, request_id = row[:5]
        head = SessionHead(
            owner=owner,
            status=status,
            round=round_number,
            closed=bool(closed),
            request_id=request_id,
        )
        expired = head.status == "open" and left_s <= 0
        return (replace(head, status="expired") if expired else head), left_s

    def _live_on(self, connection: sqlite3.Connection, session_id: str, ttl_s: float) -> None:
        connection.execute(
            "UPDATE sessions SET expires_at = ? WHERE session_id = ?",
            (self._clock() + ttl_s, session_id),
        )
        if ttl_s:
            self._alarm.set(ttl_s)

    def _sweep(self) -> None:
        """What the alarm does: another process may keep the file locked, or have taken it away."""
        try:
            self._tidy()
        except StoreError as error:
            _LOG.warning("sessions that expired were not swept from the disk yet: %s", error)
            self._alarm.set(_AGAIN_S)

    def _tidy(self) -> None:
        """No word of what has expired stays; the alarm is set for what expires next."""
        if not self._database.path.exists():
            return
        with self._database.writing() as connection:
            self._forget_the_ended(connection)
            (next_at,) = connection.execute(
                "SELECT MIN(expires_at) FROM sessions WHERE state <> ''"
            ).fetchone()
        self._empty_the_log()
        if next_at is not None:
            self._alarm.set(next_at - self._clock())

    def _empty_the_log(self) -> None:
        """If it holds words of what is over; later, where others read it just now.

        The sessions are over in any case: whoever ended one is not told of an error.
        """
        if not self._words_in_log:
            return
        self._words_in_log = False  # before the look: what others end meanwhile counts again
        try:
            with self._database.creating() as connection:
                emptied = _emptied(connection, patience_ms=_PATIENCE_MS)
        except StoreError as error:
            emptied = False
            _LOG.warning("the log of ended sessions was not emptied: %s", error)
        if not emptied:
            self._words_in_log = True
            self._alarm.set(_AGAIN_S)

    def _forget_the_ended(self, connection: sqlite3.Connection) -> None:
        """What has expired leaves its head for an hour (`secure_delete` overwrites the rest)."""
        now, before = self._clock(), connection.total_changes
        connection.execute(
            "DELETE FROM sessions WHERE expires_at <= ?", (now - ENDED_REMEMBERED_S,)
        )
        connection.execute(
            "UPDATE sessions SET state = '' WHERE expires_at <= ? AND state <> ''", (now,)
        )
        connection.execute(
            "DELETE FROM votes WHERE session_id IN "
            "(SELECT session_id FROM sessions WHERE expires_at <= ?)",
            (now,),
        )
        if connection.total_changes > before:
            self._words_in_log = True


def _emptied(connection: sqlite3.Connection, *, patience_ms: int | None = None) -> bool:
    """Whether all of the log went into the file; not while another program reads it.

    Args:
        patience_ms: how long to wait for that program; None: as for any lock.
    """
    (usual_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {usual_ms if patience_ms is None else patience_ms}")
    try:
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {usual_ms}")
    return not busy


def _stands(head: SessionHead | None, round_number: int, *, closed: bool | None) -> bool:
    """Whether the round may be written."""
    if head is None or head.status != "open" or head.round != round_number:
        return False
    return closed is None or head.closed == closed


def _cast(connection: sqlite3.Connection, session_id: str) -> CastVotes:
    votes: dict[str, dict[str, str]] = {}
    for voter, memory_id, vote in connection.execute(
        "SELECT voter, memory_id, vote FROM votes WHERE session_id = ? ORDER BY voter, memory_id",
        (session_id,),
    ):
        votes.setdefault(voter, {})[memory_id] = vote
    return votes
