"""The SQLite file that keeps how near passages are to the background questions."""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import isfinite
from pathlib import Path

from secondhop.models.cache_file import CacheFile
from secondhop.stores.records import Vectors

_SCHEMA = """
CREATE TABLE IF NOT EXISTS nearness (
    passage_id TEXT NOT NULL,
    bank TEXT NOT NULL,
    nearness REAL NOT NULL,
    PRIMARY KEY (passage_id, bank)
) WITHOUT ROWID
"""
_IDS_A_STATEMENT = 500


class NearnessFile:
    """{passage id: similarity to a bank}, on disk, so that each is worked out once and not once a
    start. A cache: what cannot be read is worked out again, and no method raises for a bad disk.

    A passage id holds its text's hash and a bank is named by its vectors, which depend on library
    and embedding model: no entry ever answers for something else.
    """

    def __init__(self, path: Path) -> None:
        self._file = CacheFile(
            path,
            name="the cache of hubs",
            without="how near passages are to everything is worked out at every start",
            prepare=_prepare,
        )

    async def get(self, bank: str, passage_ids: Sequence[str]) -> dict[str, float]:
        """Those that are known, by passage id."""
        found = await asyncio.to_thread(
            self._file.attempt, lambda connection: _select(connection, bank, passage_ids)
        )
        return found or {}

    async def put(self, bank: str, means: Mapping[str, float]) -> None:
        """Keep these, and drop what was kept for other banks."""
        await asyncio.to_thread(
            self._file.attempt, lambda connection: _insert(connection, bank, means)
        )

    async def forget(self, memory_ids: Sequence[str]) -> None:
        """Nothing of these memories is left, in the write-ahead log neither."""
        if self._file.path.exists():
            await asyncio.to_thread(
                self._file.attempt, lambda connection: _delete(connection, memory_ids)
            )

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()


def bank_id(bank: Vectors) -> str:
    """Names a bank by what is in it: another library or embedding model, another id."""
    return sha256(repr(bank.shape).encode() + bank.astype("<f4").tobytes()).hexdigest()[:16]


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute(_SCHEMA)


def _select(
    connection: sqlite3.Connection, bank: str, passage_ids: Sequence[str]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for start in range(0, len(passage_ids), _IDS_A_STATEMENT):
        chunk = passage_ids[start : start + _IDS_A_STATEMENT]
        marks = ",".join("?" * len(chunk))
        rows = connection.execute(
            f"SELECT passage_id, nearness FROM nearness WHERE passage_id IN ({marks}) AND bank = ?",
            [*chunk, bank],
        )
        found |= {str(one): near for one, near in rows if _sound(near)}
    return found


def _sound(nearness: object) -> bool:
    """Whether it is a mean of cosines; bit rot that SQLite does not see ends here."""
    return isinstance(nearness, float) and isfinite(nearness) and abs(nearness) <= 1.001


def _insert(connection: sqlite3.Connection, bank: str, means: Mapping[str, float]) -> None:
    rows = [(passage_id, bank, nearness) for passage_id, nearness in means.items()]
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("DELETE FROM nearness WHERE bank <> ?", (bank,))
        connection.executemany("INSERT OR REPLACE INTO nearness VALUES (?, ?, ?)", rows)
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:  # a full disk may have rolled back already
            connection.execute("ROLLBACK")
        raise


def _delete(connection: sqlite3.Connection, memory_ids: Sequence[str]) -> None:
    """A passage id is its memory's id, a colon and more; ";" is the character after it."""
    for memory_id in memory_ids:
        connection.execute(
            "DELETE FROM nearness WHERE passage_id >= ? AND passage_id < ?",
            (f"{memory_id}:", f"{memory_id};"),
        )
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
