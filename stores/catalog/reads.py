"""Reads memories and passages from the catalog, always inside one transaction."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from sys import intern
from typing import NamedTuple

from secondhop.stores.catalog.cues import cue_standing, replaced_by, roles, stored_cues
from secondhop.stores.catalog.erasing import forgotten
from secondhop.stores.catalog.rows import (
    CARDS,
    KEEPING_COLUMNS,
    MEMORY_COLUMNS,
    PASSAGE_COLUMNS,
    card_of,
    keeping_of,
    memory_of,
    passage_of,
    tags_of,
    text_of,
)
from secondhop.stores.catalog.stored_ids import CUES, among, count
from secondhop.stores.cues import CueStanding
from secondhop.stores.database import Connection
from secondhop.stores.keeping import FactName, Keeping
from secondhop.stores.records import Memory, MemoryCard, Passage, Standing, StoreCounts
from secondhop.stores.where import Where


def cards(connection: Connection, memory_ids: Sequence[str]) -> dict[str, MemoryCard]:
    """See `MemoryReader.cards`."""
    card = partial(
        card_of,
        roles=roles(connection, memory_ids),
        replaced_by=replaced_by(connection, memory_ids),
        cues=stored_cues(connection, memory_ids),
    )
    found = map(card, among(connection, f"{CARDS} WHERE memory_id IN", memory_ids))
    return {one.memory_id: one for one in found}


def passages(connection: Connection, passage_ids: Sequence[str]) -> dict[str, Passage]:
    """See `MemoryReader.passages`."""
    sql = f"SELECT {PASSAGE_COLUMNS} FROM passages WHERE passage_id IN"
    found = map(passage_of, among(connection, sql, passage_ids))
    return {passage.passage_id: passage for passage in found}


def passages_of(
    connection: Connection, memory_ids: Sequence[str]
) -> defaultdict[str, list[Passage]]:
    """{memory id: its passages in order}; [] for unknown ids."""
    sql = f"SELECT {PASSAGE_COLUMNS} FROM passages WHERE memory_id IN"
    found = map(passage_of, among(connection, sql, memory_ids))
    owned = defaultdict[str, list[Passage]](list)
    for passage in sorted(found, key=lambda one: one.ordinal):
        owned[passage.memory_id].append(passage)
    return owned


def memory(connection: Connection, memory_id: str) -> Memory | None:
    """The memory of this id, or None."""
    sql = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE memory_id = ?"
    return next(map(memory_of, connection.execute(sql, (memory_id,))), None)


def shown_memory(connection: Connection, memory_id: str) -> Memory | None:
    """See `MemoryReader.memory`."""
    return None if memory_id in forgotten(connection) else memory(connection, memory_id)


def whole(connection: Connection, memory_id: str) -> tuple[Memory, tuple[Passage, ...]] | None:
    """A memory with its passages in order, or None."""
    found = memory(connection, memory_id)
    own = passages_of(connection, [memory_id])[memory_id]
    return None if found is None else (found, tuple(own))


def is_empty(connection: Connection) -> bool:
    """Whether no memory is stored."""
    return connection.execute("SELECT 1 FROM memories LIMIT 1").fetchone() is None


def page(
    connection: Connection, *, after: str, limit: int
) -> list[tuple[Memory, tuple[Passage, ...]]]:
    """The next `limit` memories whose id is greater than `after`, with their passages."""
    rows = connection.execute(
        f"SELECT {MEMORY_COLUMNS} FROM memories WHERE memory_id > ? ORDER BY memory_id LIMIT ?",
        (after, limit),
    ).fetchall()
    memories = [*map(memory_of, rows)]
    owned = passages_of(connection, [one.memory_id for one in memories])
    return [(one, tuple(owned[one.memory_id])) for one in memories]


def shown_page(
    connection: Connection, *, after: str, limit: int
) -> list[tuple[Memory, tuple[Passage, ...]]]:
    """As `page`, without memories that are being forgotten."""
    gone, shown = forgotten(connection), list[tuple[Memory, tuple[Passage, ...]]]()
    while len(shown) < limit and (found := page(connection, after=after, limit=limit - len(shown))):
        after = found[-1][0].memory_id
        shown += [one for one in found if one[0].memory_id not in gone]
    return shown


def content_hashes(connection: Connection, *, origin: str | None = None) -> dict[str, str]:
    """{memory id: content hash} of everything stored, or of one origin."""
    return dict(
        connection.execute(
            "SELECT memory_id, content_hash FROM memories "
            "WHERE CAST(:origin AS TEXT) IS NULL OR origin = :origin",
            {"origin": origin},
        )
    )


def unchanged(connection: Connection, memories: Sequence[Memory]) -> set[str]:
    """Ids of those of the memories that are stored with the same content."""
    hashes = {one.memory_id: one.content_hash for one in memories}
    sql = "SELECT memory_id, content_hash FROM memories WHERE memory_id IN"
    return {one for one, stored in among(connection, sql, [*hashes]) if stored == hashes[one]}


def origins(connection: Connection) -> dict[str, str]:
    """{memory id: the input that it was read from, "" if none} of everything stored."""
    rows = connection.execute("SELECT memory_id, origin FROM memories")
    return {memory_id: intern(origin) for memory_id, origin in rows}


def dates(connection: Connection) -> dict[str, datetime]:
    """{memory id: when it was written} of everything stored."""
    rows = connection.execute("SELECT memory_id, created_at FROM memories")
    return {memory_id: datetime.fromisoformat(at) for memory_id, at in rows}


def counts(
    connection: Connection,
    *,
    vectors: int,
    schema_version: int,
    embedder: str,
) -> StoreCounts:
    """What is stored."""
    (memories,) = connection.execute("SELECT count(*) FROM memories").fetchone()
    (pending,) = connection.execute("SELECT count(*) FROM outbox").fetchone()
    passages, tokens = connection.execute(
        "SELECT count(*), coalesce(sum(tokens), 0) FROM passages"
    ).fetchone()
    (annotated,) = connection.execute(
        "SELECT count(DISTINCT memory_id) FROM annotations JOIN memories "
        "USING (memory_id, content_hash)"
    ).fetchone()
    return StoreCounts(
        memories=memories,
        passages=passages,
        tokens=tokens,
        vectors=vectors,
        pending=pending,
        schema_version=schema_version,
        embedder=embedder,
        cues=count(connection, CUES),
        annotated=annotated,
    )


def passage_ids(connection: Connection, memory_ids: Sequence[str]) -> dict[str, list[str]]:
    """See `MemoryReader`."""
    found: dict[str, list[tuple[int, str]]] = {}
    sql = "SELECT memory_id, ordinal, passage_id FROM passages WHERE memory_id IN"
    for memory_id, ordinal, passage_id in among(connection, sql, memory_ids):
        found.setdefault(memory_id, []).append((ordinal, passage_id))
    return {one: [passage_id for _, passage_id in sorted(own)] for one, own in found.items()}


def memories_where(connection: Connection, where: str, *values: str) -> list[Memory]:
    """The memories that meet an SQL condition, oldest first, without those being forgotten."""
    sql, gone = f"SELECT {MEMORY_COLUMNS} FROM memories {where}", forgotten(connection)
    found = map(memory_of, connection.execute(sql, values))
    shown = [memory for memory in found if memory.memory_id not in gone]
    return sorted(shown, key=lambda memory: (memory.created_at, memory.memory_id))


def keepings(connection: Connection) -> dict[str, Keeping]:
    """{memory id: its status}; memories with the default status are left out."""
    return dict(map(keeping_of, connection.execute(f"SELECT {KEEPING_COLUMNS} FROM keeping")))


def standing(
    connection: Connection, *, until: datetime | None = None, where: Where | None = None
) -> Standing:
    """See `MemoryKeeping`."""
    names = connection.execute(
        """SELECT memory_id, subject, attribute FROM memories
        WHERE kind <> 'continuity' AND kind = 'factual' ORDER BY created_at, memory_id"""
    )
    preferences = "WHERE kind <> 'continuity' AND kind = 'preferential'"
    return Standing(
        keepings=keepings(connection),
        forgotten=forgotten(connection),
        later=written_after(connection, until) if until else (),
        preferences=memories_where(connection, preferences),
        facts=[FactName(one, text_of(subject), text_of(about)) for one, subject, about in names],
        admitted=admitted(connection, where) if where is not None else None,
    )


class AtFirst(NamedTuple):
    """What every recall reads at its start."""

    cues: CueStanding
    standing: Standing


def at_first(connection: Connection) -> AtFirst:
    """Read both in one transaction."""
    return AtFirst(cue_standing(connection), standing(connection))


def written_after(connection: Connection, moment: datetime) -> list[str]:
    """Ids of memories written after this moment."""
    return [memory_id for memory_id, at in dates(connection).items() if at > moment]


def admitted(connection: Connection, where: Where) -> dict[str, bool]:
    """{memory id: whether the filter admits it} for every memory."""
    rows = connection.execute("SELECT memory_id, tags, source, kind, created_at FROM memories")
    return {
        memory_id: where.admits(
            memory_id,
            tags=tags_of(tags),
            source=text_of(source),
            kind=kind,
            created_at=datetime.fromisoformat(at),
        )
        for memory_id, tags, source, kind, at in rows
    }


def tags(connection: Connection) -> dict[str, tuple[str, ...]]:
    """{memory id: its tags}; memories without any are left out."""
    rows = connection.execute("SELECT memory_id, tags FROM memories WHERE tags <> '[]'")
    return {memory_id: tags_of(tags) for memory_id, tags in rows}
