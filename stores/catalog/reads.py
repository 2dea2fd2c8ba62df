"""Reads memories and passages from the catalog, always inside one transaction."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from sys import intern
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.stores.catalog import lexicon
from secondhop.stores.catalog.analysis import query_terms
from secondhop.stores.catalog.rows import (
    CARDS,
    KEEPING_COLUMNS,
    MEMORY_COLUMNS,
    PASSAGE_COLUMNS,
    Row,
    card_of,
    keeping_of,
    memory_of,
    passage_of,
    tags_of,
    text_of,
)
from secondhop.stores.cues import LEARNING, Breadth, CueStanding
from secondhop.stores.database import Connection
from secondhop.stores.keeping import FactName, Keeping
from secondhop.stores.records import Memory, MemoryCard, Passage, PassageHit, Standing, StoreCounts
from secondhop.stores.where import Where

ERASING: Final = "erasing"
"""Key of the note of erasures."""

_NUMBERED = """SELECT passage_no, passage_id, memory_id FROM passages
    WHERE passage_no IN (SELECT CAST(value AS INTEGER) FROM json_each(?))"""


def among(connection: Connection, sql: str, ids: Sequence[str]) -> Iterable[Row]:
    """The rows of `sql`, which ends in `IN`, for these ids."""
    wanted = json.dumps([one for one in dict.fromkeys(ids) if _can_be(one)])
    return connection.execute(f"{sql} (SELECT value FROM json_each(?))", (wanted,))


def _can_be(one: str) -> bool:
    """Whether anything can have this id. PostgreSQL's JSON accepts no other ids."""
    return "\0" not in one and (one.isascii() or one.encode("utf-8", "replace").decode() == one)


def read_erasing(connection: Connection) -> list[str] | None:
    """Ids of memories whose erasure is not finished; None if there is no such erasure.

    [] if the memories are deleted, but files may still hold what they said.
    """
    noted = connection.execute("SELECT value FROM meta WHERE key = ?", (ERASING,)).fetchone()
    return None if noted is None else json.loads(noted[0])


def forgotten(connection: Connection) -> frozenset[str]:
    """Ids of memories that are still stored although their erasure has begun: none is shown."""
    return frozenset(read_erasing(connection) or ())


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


def cue_standing(connection: Connection) -> CueStanding:
    """See `CueSearch`."""
    (stored,) = connection.execute("SELECT count(*) FROM memories").fetchone()
    known, proved = connection.execute(
        "SELECT count(DISTINCT CASE WHEN origin <> 'session' THEN memory_id END), "
        "count(CASE WHEN origin = 'session' THEN 1 END) FROM cues"
    ).fetchone()
    share = min(1.0, known / stored) if stored else 0.0
    return CueStanding(share=share, proved=bool(proved) and learns(connection))


def learns(connection: Connection) -> bool:
    """Whether sessions may write cues."""
    sql = "SELECT value FROM meta WHERE key = ?"
    noted = connection.execute(sql, (LEARNING,)).fetchone()
    return noted is None or noted[0] != "off"


def stored_cues(
    connection: Connection, memory_ids: Sequence[str]
) -> dict[str, list[tuple[Breadth, str]]]:
    """{memory id: its cues, without those of sessions}; memories without any are left out."""
    sql = "SELECT memory_id, breadth, text FROM cues WHERE origin <> 'session' AND memory_id IN"
    found: dict[str, list[tuple[Breadth, str]]] = {}
    for memory_id, breadth, text in among(connection, sql, memory_ids):
        found.setdefault(memory_id, []).append((breadth, text))
    return found


CueOwner: TypeAlias = tuple[str, Breadth, str, float, str]
"""(memory id, breadth, text, votes, time of the last vote). The time is "" for a cue that no
session wrote."""

_CUE_OWNERS = """SELECT cue_id, memory_id, breadth, text, proved,
    CASE WHEN origin = 'session' THEN written_at ELSE '' END FROM cues"""


def cue_owners(connection: Connection, cue_ids: Sequence[str]) -> dict[str, CueOwner]:
    """{cue id: its owner}; unknown ids are left out."""
    rows = among(connection, f"{_CUE_OWNERS} WHERE cue_id IN", cue_ids)
    return {cue_id: tuple(owner) for cue_id, *owner in rows}


def cues_owned(connection: Connection, memory_ids: Sequence[str]) -> dict[str, CueOwner]:
    """{cue id: its owner}, for all cues of these memories."""
    rows = among(connection, f"{_CUE_OWNERS} WHERE memory_id IN", memory_ids)
    return {cue_id: tuple(owner) for cue_id, *owner in rows}


def roles(connection: Connection, memory_ids: Sequence[str]) -> dict[str, str]:
    """{memory id: its role}; a role from the host has priority over one from a model."""
    sql = "SELECT memory_id, role, origin FROM annotations WHERE role <> '' AND memory_id IN"
    rows = sorted(among(connection, sql, memory_ids), key=lambda row: row[2] == "host")
    return {memory_id: role for memory_id, role, _ in rows}


def replaced_by(connection: Connection, memory_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """{memory id: the newer stored memories whose annotations say that they replace it}.

    Newest first. A memory is newer if its date is later, or if the dates are equal and its id was
    first stored later. An older memory replaces nothing, whatever its annotation says. Memories
    that nothing replaces are left out.
    """
    sql = (
        "SELECT old.memory_id, old.created_at, old.rowid, new.memory_id, new.created_at, "
        "new.rowid FROM replacements r JOIN memories old ON old.memory_id = r.replaced_id "
        "JOIN memories new ON new.memory_id = r.memory_id WHERE r.replaced_id IN"
    )
    newer: dict[str, dict[str, tuple[datetime, int]]] = {}
    for old, old_at, old_no, new, new_at, new_no in among(connection, sql, memory_ids):
        age = datetime.fromisoformat(new_at), new_no
        if age > (datetime.fromisoformat(old_at), old_no):
            newer.setdefault(old, {})[new] = age
    return {old: tuple(sorted(ages, key=ages.__getitem__)[::-1]) for old, ages in newer.items()}


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


def best_by_words(
    connection: Connection,
    queries: Sequence[str],
    *,
    k: int,
    memory_ids: Sequence[str] | None = None,
) -> list[list[PassageHit]]:
    """For each query, the best `k` by `lexicon.search`; ties by smaller passage id.

    Args:
        memory_ids: only passages of these memories; None: all.
    """
    terms = [query_terms(query) for query in queries]
    found = lexicon.search(connection, terms)
    if memory_ids is not None:
        sql = "SELECT passage_no FROM passages WHERE memory_id IN"
        wanted = [number for (number,) in among(connection, sql, memory_ids)]
        found = [_only(wanted, numbers, scores) for numbers, scores in found]
    near = [_best(numbers, scores, k=k) for numbers, scores in found]
    numbers = json.dumps([*{number for best in near for number in best}])
    rows = connection.execute(_NUMBERED, (numbers,))
    known = {number: (passage_id, memory_id) for number, passage_id, memory_id in rows}
    return [
        sorted(
            (PassageHit(*known[number], score) for number, score in best.items()),
            key=lambda hit: (-hit.score, hit.passage_id),
        )[:k]
        for best in near
    ]


def _only(
    wanted: Sequence[int], numbers: npt.NDArray[np.int64], scores: npt.NDArray[np.float64]
) -> lexicon.Found:
    """What a search found of these passages."""
    is_wanted = np.isin(numbers, wanted)
    return numbers[is_wanted], scores[is_wanted]


def _best(
    numbers: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], *, k: int
) -> dict[int, float]:
    """{passage number: score} of the best `k`, and of all that tie with the k-th."""
    # keep the ties: the passage id decides between them
    kth = np.partition(scores, -k)[-k] if len(scores) > k else 0.0
    best = np.flatnonzero(scores >= kth)
    return dict(zip(numbers[best].tolist(), scores[best].tolist(), strict=True))
