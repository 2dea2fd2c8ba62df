"""A cache in a SQLite file that processes share; its failures never stop the work."""

import logging
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

_BUSY_TIMEOUT_S = 5.0
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class CacheFile:
    """A connection that opens at first use. No method raises for a bad disk.

    Only the owner may read the file (mode 0600). An empty file replaces a damaged one. If the disk
    is full or the file cannot be opened, a warning is logged once and the cache acts as empty.
    """

    def __init__(
        self, path: Path, *, name: str, without: str, prepare: Callable[[sqlite3.Connection], None]
    ) -> None:
        """Opens nothing yet.

        Args:
            name: what messages call the cache: "the answer cache".
            without: what happens if the file cannot be used, for the warning.
            prepare: creates the tables, inside a transaction; raises sqlite3.Error if it cannot.
        """
        self.path = path
        self._name, self._without, self._prepare = name, without, prepare
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._warned = False

    def attempt(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What `work` returns, or None if the file cannot be used; replaces a damaged file.

        `work` runs in one transaction.
        """
        with self._lock:
            try:
                try:
                    return self._done(work)
                except sqlite3.DatabaseError as error:
                    if _code(error) not in _DAMAGED:
                        raise
                    self._replace(error)
                    return self._done(work)
            except (sqlite3.Error, OSError) as error:
                self._drop_connection()
                self._warn_once(error)
                return None

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._lock:
            self._drop_connection()

    def _done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._connection is None:
            self._connection = self._connected()
        with self._connection as connection:  # one transaction
            return work(connection)

    def _connected(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            # only for a new file: closing an existing one would free this process's locks on it
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_TIMEOUT_S, isolation_level="IMMEDIATE", check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA secure_delete=ON")
            with connection:
                connection.execute("BEGIN IMMEDIATE")  # only one process prepares a new file
                self._prepare(connection)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _replace(self, error: sqlite3.DatabaseError) -> None:
        """Delete the damaged file."""
        self._drop_connection()
        logger.warning(
            "%s %s is damaged (%s); an empty one replaces it", self._name, self.path, error
        )
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _warn_once(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            logger.warning(
                "%s %s is not used: %s; %s until it can be written",
                self._name,
                self.path,
                error,
                self._without,
            )


def _code(error: sqlite3.DatabaseError) -> int:
    """The primary result code; 0 for errors of Python's own module, which have none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
