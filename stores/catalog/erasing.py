"""The catalog's notes of memories that are being forgotten, and of where they were said."""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from secondhop.stores.catalog.notes import read_meta, write_meta
from secondhop.stores.database import Connection
from secondhop.stores.keeping import SAID_IN

ERASING: Final = "erasing"
"""Key of the note of erasures."""
_NEEDS_COMPACTION = "needs_compaction"
_FORGOTTEN = "forgotten_origins"
_OLD_MAP = "topics"
"""Where version 0.1 kept the memory map, which contains titles of memories."""


def read_erasing(connection: Connection) -> list[str] | None:
    """Ids of memories whose erasure is not finished; None if there is no such erasure.

    [] if the memories are deleted, but files may still hold what they said.
    """
    noted = connection.execute("SELECT value FROM meta WHERE key = ?", (ERASING,)).fetchone()
    return None if noted is None else json.loads(noted[0])


def forgotten(connection: Connection) -> frozenset[str]:
    """Ids of memories that are still stored although their erasure has begun: none is shown."""
    return frozenset(read_erasing(connection) or ())


def note_erasing(connection: Connection, memory_ids: Iterable[str]) -> None:
    """Note that the erasure of these memories begins."""
    going = list(memory_ids)
    noted = {*(read_erasing(connection) or []), *going}
    write_meta(connection, {ERASING: json.dumps(sorted(noted))})
    note_origins(connection, going)


def note_origins(connection: Connection, memory_ids: Sequence[str]) -> None:
    """Remember which words of which messages these memories came from, as a digest and numbers.

    `observe` reads nothing from those words again.
    """
    origins = set(read_forgotten_origins(connection))
    sql = "SELECT detail FROM history WHERE memory_id = ?"
    for memory_id in memory_ids:
        details = [str(detail) for (detail,) in connection.execute(sql, (memory_id,))]
        origins |= {one.partition(";")[0] for one in details if one.startswith(SAID_IN)}
    if origins:
        write_meta(connection, {_FORGOTTEN: json.dumps(sorted(origins))})


def read_forgotten_origins(connection: Connection) -> list[str]:
    """Where forgotten memories had been said, without any of their words."""
    origins: list[str] = json.loads(read_meta(connection).get(_FORGOTTEN, "[]"))
    return origins


def leave_erasing(connection: Connection, memory_ids: Iterable[str]) -> None:
    """Remove these ids from the note of erasures: the memories are deleted, or stored again."""
    noted = read_erasing(connection)
    if noted:
        write_meta(connection, {ERASING: json.dumps(sorted({*noted} - {*memory_ids}))})


def note_erased(connection: Connection, *, needs_compaction: bool) -> None:
    """Note that the erasure is finished, except for vectors that wait for `compact`.

    The note of erasures stays if it names memories: somebody else has begun to erase them.
    """
    done = (_NEEDS_COMPACTION, _OLD_MAP, *(() if read_erasing(connection) else (ERASING,)))
    connection.executemany("DELETE FROM meta WHERE key = ?", [(key,) for key in done])
    if needs_compaction:
        write_meta(connection, {_NEEDS_COMPACTION: "1"})


def needs_compaction(connection: Connection) -> bool:
    """Whether files still hold vectors of erased memories."""
    return _NEEDS_COMPACTION in read_meta(connection)
