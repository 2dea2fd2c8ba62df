"""The catalog's notes: key-value facts about it, and the outbox of unfinished vector writes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from secondhop.stores.catalog.stored_ids import CUES, PASSAGES, known
from secondhop.stores.cues import LEARNING
from secondhop.stores.database import Connection

_CUE_VECTORS = "cue_vectors"


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
