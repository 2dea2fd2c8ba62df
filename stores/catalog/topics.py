"""The memory map in the catalog: what one is made from, and the one that is kept."""

import json
from collections.abc import Sequence

from secondhop.stores.catalog.notes import read_meta, write_meta
from secondhop.stores.catalog.reads import among, cards
from secondhop.stores.catalog.rows import PASSAGE_COLUMNS, passage_of
from secondhop.stores.database import Connection
from secondhop.stores.records import Passage, Topic

TOPICS_VERSION = "2"
"""Version of the way maps are made; a map of another version is made again."""


def openings(
    connection: Connection, memory_ids: Sequence[str], *, characters: int
) -> list[tuple[str, str, list[str]]]:
    """(title, first characters of the text, passage ids) of each, in the order given."""
    titles = {memory_id: card.title for memory_id, card in cards(connection, memory_ids).items()}
    members: dict[str, list[Passage]] = {memory_id: [] for memory_id in titles}
    sql = f"SELECT {PASSAGE_COLUMNS} FROM passages WHERE memory_id IN"
    for passage in map(passage_of, among(connection, sql, memory_ids)):
        members[passage.memory_id].append(passage)
    return [
        (
            titles[memory_id],
            next((p.text[:characters] for p in members[memory_id] if p.ordinal == 0), ""),
            [p.passage_id for p in sorted(members[memory_id], key=lambda p: p.ordinal)],
        )
        for memory_id in memory_ids
        if memory_id in titles
    ]


def kept_topics(connection: Connection) -> tuple[int, list[Topic]]:
    """(the `changes` they were made at, -1 when they never were, or otherwise; the topics)."""
    meta = read_meta(connection)
    if meta.get("topics_version") != TOPICS_VERSION:
        return -1, []
    return int(meta.get("topics_at", -1)), [
        Topic(**fields) for fields in json.loads(meta.get("topics", "[]"))
    ]


def is_outdated(connection: Connection) -> bool:
    """Whether the map that is kept is one of other memories; False where none were ever stored."""
    changes = read_meta(connection).get("changes")
    return changes is not None and kept_topics(connection)[0] != int(changes)


def keep_topics(connection: Connection, topics: Sequence[Topic], *, made_at: int) -> None:
    """Remember the memory map, and at which `changes` it was made."""
    fields = [{"label": t.label, "size": t.size, "titles": list(t.titles)} for t in topics]
    write_meta(
        connection,
        {
            "topics": json.dumps(fields),
            "topics_at": str(made_at),
            "topics_version": TOPICS_VERSION,
        },
    )
