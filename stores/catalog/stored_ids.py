"""Which ids are stored, of what and whose."""

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from secondhop.stores.catalog.rows import Row
from secondhop.stores.database import Connection


def among(connection: Connection, sql: str, ids: Sequence[str]) -> Iterable[Row]:
    """The rows of `sql`, which ends in `IN`, for these ids."""
    wanted = json.dumps([one for one in dict.fromkeys(ids) if _can_be(one)])
    return connection.execute(f"{sql} (SELECT value FROM json_each(?))", (wanted,))


def _can_be(one: str) -> bool:
    """Whether anything can have this id. PostgreSQL's JSON accepts no other ids."""
    return "\0" not in one and (one.isascii() or one.encode("utf-8", "replace").decode() == one)


def stored(connection: Connection, memory_ids: Sequence[str]) -> list[str]:
    """Which of these memories are stored."""
    sql = "SELECT memory_id FROM memories WHERE memory_id IN"
    return [memory_id for (memory_id,) in among(connection, sql, memory_ids)]


def owners(connection: Connection, passage_ids: Sequence[str]) -> dict[str, str]:
    """{passage id: memory id}; unknown ids are left out."""
    sql = "SELECT passage_id, memory_id FROM passages WHERE passage_id IN"
    return dict(among(connection, sql, passage_ids))


class Embedded(NamedTuple):
    """A table whose rows have vectors, and its column of ids."""

    table: str
    key: str


PASSAGES: Final = Embedded("passages", "passage_id")
CUES: Final = Embedded("cues", "cue_id")


def ids(connection: Connection, of: Embedded) -> set[str]:
    """All stored ids."""
    return {one for (one,) in connection.execute(f"SELECT {of.key} FROM {of.table}")}


def count(connection: Connection, of: Embedded) -> int:
    """How many are stored."""
    (found,) = connection.execute(f"SELECT count(*) FROM {of.table}").fetchone()
    return int(found)


def known(connection: Connection, wanted: Sequence[str], of: Embedded) -> set[str]:
    """Which of these ids are stored."""
    sql = f"SELECT {of.key} FROM {of.table} WHERE {of.key} IN"
    return {one for (one,) in among(connection, sql, wanted)}
