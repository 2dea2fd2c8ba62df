"""Sessions in one table of SQLite (for one machine) or PostgreSQL.

SQLite overwrites what is deleted in the file (`secure_delete`), and deletes the rollback journal
after each write. So no word of a session that ended stays on disk.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from secondhop.errors import StoreError
from secondhop.stores.database import Connection, Database
from secondhop.stores.in_a_thread import in_a_thread
from secondhop.stores.sessions import ENDED_REMEMBERED_S, GRACE_S, StoredSession
from secondhop.stores.sqlite import Migration, SqliteDatabase

SESSIONS: Sequence[Migration] = (
    # version 0.1 wrote two other tables
    ("DROP TABLE IF EXISTS votes", "DROP TABLE IF EXISTS sessions"),
    (
        """CREATE TABLE open_sessions (
            owner TEXT NOT NULL,
            session_id TEXT NOT NULL,
            version INTEGER NOT NULL,
            status TEXT NOT NULL,
            document BLOB NOT NULL,
            expires_at REAL NOT NULL,
            PRIMARY KEY (owner, session_id)
        )""",
    ),
)


class DatabaseSessions:
    """A `SessionStore` in one table, made with the first session."""

    def __init__(self, place: Path | Database, *, makes_folder: bool = True) -> None:
        """`place`: a SQLite file, or another database; `makes_folder`: see `SqliteDatabase`."""
        self.database: Database = (
            SqliteDatabase(place, steps=SESSIONS, journal="DELETE", makes_folder=makes_folder)
            if isinstance(place, Path)
            else place
        )
        """Where its rows are."""

    @in_a_thread
    def load(self, session_id: str, *, owner: str) -> StoredSession | None:
        """See `SessionStore`."""
        with self._reading() as connection:
            if connection is None:
                return None
            row = connection.execute(
                "SELECT version, status, document, expires_at FROM open_sessions "
                "WHERE owner = ? AND session_id = ?",
                (owner, session_id),
            ).fetchone()
            now = self.database.now(connection)
        if row is None:
            return None
        version, status, document, expires_at = row
        left_s = expires_at - now
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

    @in_a_thread
    def save(self, session: StoredSession) -> bool:
        """See `SessionStore`."""
        if session.version == 1:
            self.database.migrate()
        elif not self.database.exists():
            return False
        with self.database.writing() as connection:
            if not self._is_made(connection):
                return False
            self._sweep(connection)
            return self._written(connection, session)

    def _written(self, connection: Connection, session: StoredSession) -> bool:
        lives_s = session.expires_in_s if session.status == "open" else 0.0
        ends_at = self.database.now(connection) + lives_s
        new = (session.version, session.status, session.document, ends_at)
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
                "WHERE owner = ? AND session_id = ? AND version = ? AND document <> ?",
                (*new, *key, session.version - 1, b""),
            )
        return done.rowcount == 1

    @in_a_thread
    def open_ids(self, *, owner: str) -> list[str]:
        """See `SessionStore`."""
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                "SELECT session_id FROM open_sessions WHERE owner = ? AND document <> ?",
                (owner, b""),
            )
            return [session_id for (session_id,) in rows]

    @in_a_thread
    def aclose(self) -> None:
        """See `SessionStore`."""
        with suppress(StoreError):  # a folder that cannot be written has nothing to sweep
            if self.database.exists():
                with self.database.writing() as connection:
                    if self._is_made(connection):
                        self._sweep(connection)
        self.database.close()

    @contextmanager
    def _reading(self) -> Generator[Connection | None, None, None]:
        """None if there is no table yet."""
        if not self.database.exists():
            yield None
            return
        with self.database.reading() as connection:
            yield connection if self._is_made(connection) else None

    def _is_made(self, connection: Connection) -> bool:
        return self.database.version(connection) == self.database.newest

    def _sweep(self, connection: Connection) -> None:
        """Delete documents `GRACE_S` after a session expires, and rows an hour after its end."""
        now = self.database.now(connection)
        connection.execute(
            "DELETE FROM open_sessions WHERE expires_at <= ?", (now - ENDED_REMEMBERED_S,)
        )
        connection.execute(
            "UPDATE open_sessions SET document = ? WHERE expires_at <= ? AND document <> ?",
            (b"", now - GRACE_S, b""),
        )
