"""The SQLite file behind the answer cache."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from secondhop.errors import UsageError
from secondhop.models.cache_file import CacheFile

KEPT = 50_000
"""Answers; the oldest go first. About 2 kB each."""

FORMAT = 3
"""Grows when a key or an entry changes its meaning; a file of an older format is emptied."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    asked_sha BLOB NOT NULL UNIQUE,
    answer TEXT NOT NULL,
    usage TEXT NOT NULL
)
"""
_OLDER = ("DROP TABLE IF EXISTS answers", "DROP TABLE IF EXISTS secret")
_OWN_TABLES = frozenset({"answers", "secret", "sqlite_sequence"})


class KeptAnswer(NamedTuple):
    """An answer and what it cost, both as JSON."""

    answer: str
    usage: str


class AnswerFile:
    """Answers by what was asked. No method raises for a bad disk; a damaged file is replaced."""

    def __init__(self, path: Path) -> None:
        self._file = CacheFile(
            path,
            name="the answer cache",
            without="the model is asked again each time",
            prepare=_prepare,
        )

    def get(self, asked_sha: bytes) -> KeptAnswer | None:
        """What was answered to this."""
        query = "SELECT answer, usage FROM answers WHERE asked_sha = ?"
        row = self._file.attempt(lambda opened: opened.execute(query, (asked_sha,)).fetchone())
        return KeptAnswer(*row) if row else None

    def put(self, asked_sha: bytes, kept: KeptAnswer) -> None:
        """Keep an answer in place of an earlier one."""
        statement = "INSERT OR REPLACE INTO answers (asked_sha, answer, usage) VALUES (?, ?, ?)"
        self._file.attempt(lambda opened: opened.execute(statement, (asked_sha, *kept)))

    def forget(self, asked_sha: bytes) -> None:
        """Keep no answer to this."""
        statement = "DELETE FROM answers WHERE asked_sha = ?"
        self._file.attempt(lambda opened: opened.execute(statement, (asked_sha,)))

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        self._file.close()


def expect_answers_or_nothing(path: Path) -> None:
    """Raises UsageError for a file that holds something else: it would be overwritten."""
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            tables = {name for (name,) in opened.execute("SELECT name FROM sqlite_master")}
            newer = opened.execute("PRAGMA user_version").fetchone()[0] > FORMAT
    except sqlite3.Error:
        tables, newer = {"?"}, False
    own = {name for name in tables if not name.startswith("sqlite_autoindex")}
    if not own <= _OWN_TABLES:
        raise UsageError(f"{path} is no file of answers; name one that may be written, or a folder")
    if newer:
        raise UsageError(f"{path} was written by a newer secondhop; upgrade, or name another file")


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables.

    Raises:
        sqlite3.NotSupportedError: a newer secondhop wrote the file.
    """
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found > FORMAT:
        raise sqlite3.NotSupportedError("a newer secondhop wrote it")
    if found < FORMAT:
        for statement in (*_OLDER, _SCHEMA, f"PRAGMA user_version = {FORMAT}"):
            connection.execute(statement)
    newest = "(SELECT max(number) FROM answers)"
    connection.execute(f"DELETE FROM answers WHERE number <= {newest} - ?", (KEPT,))
