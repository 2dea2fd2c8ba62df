"""The SQLite file behind the answer cache: shared by processes, expendable at any time."""

import logging
import os
import secrets
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

KEPT = 50_000
"""Answers; the oldest go first. About 2 kB each."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    asked_sha BLOB NOT NULL UNIQUE,
    answer TEXT NOT NULL,
    usage TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS secret (one INTEGER PRIMARY KEY CHECK (one = 1), bytes BLOB NOT NULL);
"""
_BUSY_TIMEOUT_S = 5.0
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class KeptAnswer(NamedTuple):
    """An answer and what it cost, both as JSON."""

    answer: str
    usage: str


class AnswerFile:
    """Answers by what was asked, and the secret that keeps equal prompts equal.

    Only its owner may read it (mode 0600). No method raises for a bad disk: then a warning is
    logged once and nothing is found. A damaged file is deleted and begun anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._warned = False
        self._own_secret = secrets.token_bytes(32)

    def secret(self) -> bytes:
        """32 random bytes, the same as long as the file lasts; never show them to anybody."""
        return self._attempt(self._kept_secret) or self._own_secret

    def get(self, asked_sha: bytes) -> KeptAnswer | None:
        """What was answered to this."""
        query = "SELECT answer, usage FROM answers WHERE asked_sha = ?"
        row = self._attempt(lambda opened: opened.execute(query, (asked_sha,)).fetchone())
        return KeptAnswer(*row) if row else None

    def put(self, asked_sha: bytes, kept: KeptAnswer) -> None:
        """Keep an answer in place of an earlier one."""
        statement = "INSERT OR REPLACE INTO answers (asked_sha, answer, usage) VALUES (?, ?, ?)"
        self._attempt(lambda opened: opened.execute(statement, (asked_sha, *kept)))

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._lock:
            self._drop_connection()

    def _kept_secret(self, opened: sqlite3.Connection) -> bytes:
        """Whoever comes first writes it, in one statement."""
        opened.execute("INSERT OR IGNORE INTO secret VALUES (1, ?)", (self._own_secret,))
        found: bytes = opened.execute("SELECT bytes FROM secret").fetchone()[0]
        return found

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What `work` returns, or None when the file does not let us; heals a damaged file once."""
        with self._lock:
            try:
                try:
                    return work(self._opened())
                except sqlite3.DatabaseError as error:
                    if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                        raise
                    self._begin_anew(error)
                    return work(self._opened())
            except (sqlite3.Error, OSError) as error:
                self._drop_connection()
                self._warn_once(error)
                return None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            self._connection = _open(self._path)
        return self._connection

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _begin_anew(self, error: sqlite3.DatabaseError) -> None:
        self._drop_connection()
        logger.warning("the answer cache %s is damaged (%s) and begun anew", self._path, error)
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _warn_once(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            logger.warning(
                "the answer cache %s is not used: %s; the model is asked again each time until it "
                "can be written",
                self._path,
                error,
            )


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(_SCHEMA)
        newest = "(SELECT max(number) FROM answers)"
        connection.execute(f"DELETE FROM answers WHERE number <= {newest} - ?", (KEPT,))
    except sqlite3.Error:
        connection.close()
        raise
    return connection
