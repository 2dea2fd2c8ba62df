"""The catalog's notes: key-value facts about it, and the outbox of unfinished vector writes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from secondhop.stores.catalog.reads import CUES, ERASING, PASSAGES, known, read_erasing
from secondhop.stores.cues import LEARNING
from secondhop.stores.database import Connection
from secondhop.stores.keeping import SAID_IN

_NEEDS_COMPACTION = "needs_compaction"
_FORGOTTEN = "forgotten_origins"
_CUE_VECTORS = "cue_vectors"
_OLD_MAP = "topics"
"""Where version 0.1 kept the memory map, which contains titles of memories."""


def read_meta(connection: Connection) -> dict[str, str]:
    """All notes, by key."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def write_meta(connection: Connection, values: Mapping[str, str]) -> None:
    """Set these keys."""
    connection.executemany(
        "INSERT INTO meta (key, value) VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        list(values.items()),
    )


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


def adjust(connection: Connection, key: str, amount: int) -> None:
    """Add to the number under this key."""
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = "
        "CAST(CAST(meta.value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)",
        (key, str(amount)),
    )


def note_learning(connection: Connection, *, on: bool) -> None:
    """Note whether sessions may write cues."""
    write_meta(connection, {LEARNING: "on" if on else "off"})


class OpenNote(NamedTuple):
    """The ids that a note of the outbox names but the catalog does not know."""

    passage_ids: list[str]
    cue_ids: list[str]


def add_intent(
    connection: Connection,
    kind: Literal["put", "drop"],
    passage_ids: Sequence[str],
    cue_ids: Sequence[str] = (),
) -> int:
    """Note that vectors of these passages and cues come or go. Returns the note's number."""
    if cue_ids and _CUE_VECTORS not in read_meta(connection):
        write_meta(connection, {_CUE_VECTORS: "1"})
    (number,) = connection.execute(
        "INSERT INTO outbox (kind, passage_ids, cue_ids) VALUES (?, ?, ?) RETURNING intent_no",
        (kind, json.dumps(passage_ids), json.dumps(cue_ids)),
    ).fetchone()
    return int(number)


def add_drop(
    connection: Connection, passage_ids: Iterable[str], cue_ids: Iterable[str]
) -> int | None:
    """Note that these vectors go. Returns the note's number; None if there are no ids."""
    passages, cues = sorted(passage_ids), sorted(cue_ids)
    return add_intent(connection, "drop", passages, cues) if passages or cues else None


def open_intents(connection: Connection) -> dict[int, OpenNote]:
    """{number of a note: the ids it names that are not stored}."""
    noted = connection.execute("SELECT intent_no, passage_ids, cue_ids FROM outbox").fetchall()
    found: dict[int, OpenNote] = {}
    for number, *named in noted:
        passage_ids, cue_ids = map(json.loads, named)
        passages = known(connection, passage_ids, PASSAGES)
        cues = known(connection, cue_ids, CUES)
        found[number] = OpenNote(
            [one for one in passage_ids if one not in passages],
            [one for one in cue_ids if one not in cues],
        )
    return found


def has_cue_vectors(connection: Connection) -> bool:
    """Whether vectors of cues were ever put. If so, there may be a collection of them."""
    return _CUE_VECTORS in read_meta(connection)
