"""The catalog's notes: key-value facts about it, and the outbox of vectors on their way."""

import json
import sqlite3
from collections.abc import Mapping, Sequence

_WORTH_A_MAP = 50
"""A memory map is made anew, which takes seconds, when one memory in so many was added singly."""


def read_meta(connection: sqlite3.Connection) -> dict[str, str]:
    """All of it; {} in a file without a schema."""
    (tables,) = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE name = 'meta'"
    ).fetchone()
    return dict(connection.execute("SELECT key, value FROM meta")) if tables else {}


def write_meta(connection: sqlite3.Connection, values: Mapping[str, str]) -> None:
    """Set these keys."""
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        values.items(),
    )


def count_change(connection: sqlite3.Connection) -> None:
    """The store is not what it was."""
    connection.execute(
        "INSERT INTO meta VALUES ('changes', '1') "
        "ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )


def count_small_change(connection: sqlite3.Connection) -> None:
    """One memory more: as many as are worth a new memory map make one change."""
    small = int(read_meta(connection).get("small_changes", 0)) + 1
    (memories,) = connection.execute("SELECT count(*) FROM memories").fetchone()
    if small > memories // _WORTH_A_MAP:
        count_change(connection)
        small = 0
    write_meta(connection, {"small_changes": str(small)})


def add_intent(connection: sqlite3.Connection, kind: str, passage_ids: Sequence[str]) -> int:
    """Note that vectors of these passages come ("put") or go ("drop"); the note's number."""
    cursor = connection.execute(
        "INSERT INTO outbox (kind, passage_ids) VALUES (?, ?)", (kind, json.dumps(passage_ids))
    )
    return int(cursor.lastrowid or 0)
