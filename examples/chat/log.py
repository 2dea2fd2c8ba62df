"""The messages of a chat. Each is on disk before it is acted on, so a restart continues there."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
  user TEXT, number INTEGER, role TEXT, text TEXT, at TEXT, whole INTEGER,
  PRIMARY KEY (user, number));
CREATE TABLE IF NOT EXISTS sources (
  user TEXT, number INTEGER, memory_id TEXT, title TEXT, date TEXT,
  PRIMARY KEY (user, number), UNIQUE (user, memory_id));
CREATE TABLE IF NOT EXISTS marks (user TEXT, name TEXT, value TEXT, PRIMARY KEY (user, name));
"""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message."""

    number: int
    """Counts from 1, over all talks with this user."""
    role: str
    """user, assistant or vote."""
    text: str
    at: datetime
    whole: bool
    """False if the answer broke off."""


@dataclass(frozen=True, slots=True)
class Source:
    """A memory with the number by which answers cite it, which is the same in every talk."""

    number: int
    memory_id: str
    title: str
    date: str


class ChatLog:
    """The messages of one user; every SQL statement filters by the user.

    Each write is a transaction, and on disk when the call returns.
    """

    def __init__(self, path: Path, *, user: str) -> None:
        """`path`: the file that the logs of all users share."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.user = user
        self._db = sqlite3.connect(path, timeout=10, isolation_level=None)
        self._db.executescript(SCHEMA)

    def add(self, role: str, text: str, *, at: datetime, whole: bool = True) -> int:
        """Store a message; returns its number."""
        row = (self.user, role, text, at.isoformat(), whole)
        written = self._db.execute(
            "INSERT INTO messages SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4, ?5"
            " FROM messages WHERE user = ?1 RETURNING number",
            row,
        )
        return int(written.fetchall()[0][0])

    def talk(self) -> list[Spoken]:
        """The messages since the last talk ended, oldest first."""
        rows = self._db.execute(
            "SELECT number, role, text, at, whole FROM messages WHERE user = ? AND number > ?"
            " ORDER BY number",
            (self.user, int(self.mark("ended") or 0)),
        )
        return [
            Spoken(number, role, text, datetime.fromisoformat(at), bool(whole))
            for number, role, text, at, whole in rows
        ]

    def source(self, memory_id: str, *, title: str, date: str) -> Source:
        """A memory with its number; one that was never shown gets the next free number."""
        self._db.execute(
            "INSERT OR IGNORE INTO sources SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4"
            " FROM sources WHERE user = ?1",
            (self.user, memory_id, title, date),
        )
        row = self._db.execute(
            "SELECT number, memory_id, title, date FROM sources WHERE user = ? AND memory_id = ?",
            (self.user, memory_id),
        )
        return Source(*row.fetchone())

    def sources(self) -> list[Source]:
        """All memories that this user was ever shown."""
        rows = self._db.execute(
            "SELECT number, memory_id, title, date FROM sources WHERE user = ?", (self.user,)
        )
        return [Source(*row) for row in rows]

    def mark(self, name: str) -> str:
        """The value stored under a name; "" if there is none."""
        row = self._db.execute(
            "SELECT value FROM marks WHERE user = ? AND name = ?", (self.user, name)
        ).fetchone()
        return str(row[0]) if row else ""

    def set_mark(self, name: str, value: str) -> None:
        """Store a value under a name."""
        self._db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", (self.user, name, value))

    def close(self) -> None:
        """Close the connection to the database."""
        self._db.close()
