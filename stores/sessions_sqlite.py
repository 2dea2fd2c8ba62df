"""Sessions in one table of a SQLite file: every process on this machine may serve them.

What is deleted is overwritten (`secure_delete`), and the file has a rollback journal, which SQLite
deletes after each write. So no word of a session that ended stays in a file.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from secondhop.errors import StoreError
from secondhop.stores.database import Database
from secondhop.stores.sessions import ENDED_REMEMBERED_S, GRACE_S, StoredSession

VERSION = 2
"""`user_version` of the file; version 0.1 wrote two other tables, and no number."""

_SCHEMA = f"""
BEGIN IMMEDIATE;
DROP TABLE IF EXISTS votes;
DROP TABLE IF EXISTS sessions;
CREATE TABLE IF NOT EXISTS open_sessions (
    owner TEXT NOT NULL,
    session_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    document BLOB NOT NULL,
    expires_at REAL NOT NULL,
    PRIMARY KEY (owner, session_id)
);
PRAGMA user_version = {VERSION};
COMMIT;
"""


class SqliteSessions:
    """A `SessionStore` in one file, made with the first session."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        """`clock`: epoch seconds."""
        self._database = Database(path, journal="DELETE")
        self._clock = clock

    async def load(self, session_id: str, *, owner: str) -> StoredSession | None:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._load, session_id, owner)

    async def save(self, session: StoredSession) -> bool:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._save, session)

    async def open_ids(self, *, owner: str) -> list[str]:
        """See `SessionStore`."""
        return await asyncio.to_thread(self._open_ids, owner)

    async def aclose(self) -> None:
        """See `SessionStore`."""
        await asyncio.to_thread(self._close)

    # --- blocking parts, for worker threads ---

    def _load(self, session_id: str, owner: str) -> StoredSession | None:
        if not self._database.path.exists():
            return None
        with self._database.reading() as connection:
            if not _is_made(connection):
                return None
            row = connection.execute(
                "SELECT version, status, document, expires_at FROM open_sessions "
                "WHERE owner = ? AND session_id = ?",
                (owner, session_id),
            ).fetchone()
        if row is None:
            return None
        version, status, document, expires_at = row
        left_s = expires_at - self._clock()
        if left_s <= -ENDED_REMEMBERED_S:
            return None
        expired = status == "open" and left_s <= 0
        return StoredSession(
            session_id=session_id,
            owner=owner,
            version=version,
            status="expired" if expired else status,
            document=b"" if expired else document,
            expires_in_s=max(0.0, left_s),
        )

    def _save(self, session: StoredSession) -> bool:
        if session.version == 1:
            self._make()
        elif not self._database.path.exists():
            return False
        with self._database.writing() as connection:
            if not _is_made(connection):
                return False
            self._sweep(connection)
            return self._written(connection, session)

    def _written(self, connection: sqlite3.Connection, session: StoredSession) -> bool:
        lives_s = session.expires_in_s if session.status == "open" else 0.0
        new = (session.version, session.status, session.document, self._clock() + lives_s)
        key = (session.owner, session.session_id)
        if session.version == 1:
            done = connection.execute(
                "INSERT INTO open_sessions (version, status, document, expires_at, owner, "
                "session_id) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (*new, *key),
            )
        else:
            done = connection.execute(
                "UPDATE open_sessions SET version = ?, status = ?, document = ?, expires_at = ? "
                "WHERE owner = ? AND session_id = ? AND version = ? AND document <> x''",
                (*new, *key, session.version - 1),
            )
        return done.rowcount == 1

    def _open_ids(self, owner: str) -> list[str]:
        if not self._database.path.exists():
            return []
        with self._database.reading() as connection:
            if not _is_made(connection):
                return []
            rows = connection.execute(
                "SELECT session_id FROM open_sessions WHERE owner = ? AND document <> x''",
                (owner,),
            )
            return [session_id for (session_id,) in rows]

    def _close(self) -> None:
        with suppress(StoreError):  # a folder that cannot be written has nothing to sweep
            if self._database.path.exists():
                with self._database.writing() as connection:
                    if _is_made(connection):
                        self._sweep(connection)
        self._database.close()

    def _make(self) -> None:
        self._database.path.parent.mkdir(parents=True, exist_ok=True)
        with self._database.creating() as connection:
            if not _is_made(connection):
                connection.executescript(_SCHEMA)

    def _sweep(self, connection: sqlite3.Connection) -> None:
        """What has expired loses its document, and an hour later its row."""
        now = self._clock()
        connection.execute(
            "DELETE FROM open_sessions WHERE expires_at <= ?", (now - ENDED_REMEMBERED_S,)
        )
        connection.execute(
            "UPDATE open_sessions SET document = x'' WHERE expires_at <= ? AND document <> x''",
            (now - GRACE_S,),
        )


def _is_made(connection: sqlite3.Connection) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return bool(version == VERSION)
