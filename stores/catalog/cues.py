"""Cues and annotations as catalog rows, and the queries that read them.

They are deleted with their memories.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

from secondhop.stores.catalog.rows import Row, named
from secondhop.stores.catalog.stored_ids import among
from secondhop.stores.cues import LEARNING, Annotation, Breadth, Cue, CueStanding, cues_in
from secondhop.stores.database import Connection

CUE_COLUMNS = "cue_id, memory_id, text, breadth, origin, prompt, model, written_at, proved"
ANNOTATION_COLUMNS = "memory_id, origin, content_hash, role, fingerprint, prompt, model, written_at"
TABLES = ("cues", "annotations", "replacements")


def of_memories(connection: Connection, memory_ids: Sequence[str]) -> dict[str, tuple[Cue, ...]]:
    """{memory id: its cues, specific ones first}; memories without cues are left out."""
    sql = f"SELECT {CUE_COLUMNS} FROM cues WHERE memory_id IN"
    found: defaultdict[str, list[Cue]] = defaultdict(list)
    for row in among(connection, sql, memory_ids):
        cue = cue_of(row)
        found[cue.memory_id].append(cue)
    return {one: tuple(sorted(cues, key=_reading_order)) for one, cues in found.items()}


def annotations(
    connection: Connection, memory_ids: Sequence[str]
) -> dict[str, tuple[Annotation, ...]]:
    """{memory id: one annotation per origin, without cues removed since}; memories without
    annotations are left out."""
    cues, replaces = of_memories(connection, memory_ids), _replaces(connection, memory_ids)
    sql = f"SELECT {ANNOTATION_COLUMNS} FROM annotations WHERE memory_id IN"
    found: defaultdict[str, list[Annotation]] = defaultdict(list)
    for row in among(connection, sql, memory_ids):
        said = named(ANNOTATION_COLUMNS, row)
        memory_id, origin = said["memory_id"], said["origin"]
        own = cues_in(said.pop("fingerprint"), memory_id=memory_id)
        said["written_at"] = datetime.fromisoformat(said["written_at"])
        said["cues"] = tuple(
            cue for cue in cues.get(memory_id, ()) if cue.origin == origin and cue.cue_id in own
        )
        said["replaces"] = replaces.get((memory_id, origin), ())
        found[memory_id].append(Annotation(**said))
    return {one: tuple(annotations) for one, annotations in found.items()}


def unannotated(connection: Connection) -> list[str]:
    """Ids of memories without an annotation of their current text, oldest first."""
    rows = connection.execute(
        "SELECT memory_id, created_at FROM memories WHERE NOT EXISTS ("
        "SELECT 1 FROM annotations AS a WHERE a.memory_id = memories.memory_id "
        "AND a.content_hash = memories.content_hash) ORDER BY rowid"
    )
    dated = [(datetime.fromisoformat(created_at), memory_id) for memory_id, created_at in rows]
    return [memory_id for _, memory_id in sorted(dated, key=lambda one: one[0])]


def fingerprints(connection: Connection) -> dict[str, str]:
    """{memory id: fingerprint of the host's annotation}."""
    sql = "SELECT memory_id, fingerprint FROM annotations WHERE origin = 'host'"
    return dict(connection.execute(sql))


def _replaces(
    connection: Connection, memory_ids: Sequence[str]
) -> dict[tuple[str, str], tuple[str, ...]]:
    sql = "SELECT memory_id, origin, replaced_id FROM replacements WHERE memory_id IN"
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for memory_id, origin, replaced_id in among(connection, sql, memory_ids):
        found[(memory_id, origin)].append(replaced_id)
    return {key: tuple(sorted(ids)) for key, ids in found.items()}


def all_cues(connection: Connection, after: str, *, limit: int) -> list[Cue]:
    """At most `limit` cues by id, starting after `after`."""
    sql = f"SELECT {CUE_COLUMNS} FROM cues WHERE cue_id > ? ORDER BY cue_id LIMIT ?"
    return [cue_of(row) for row in connection.execute(sql, (after, limit))]


def cue_row(cue: Cue, *, at: datetime) -> Row:
    """Values for CUE_COLUMNS; `at` stands in for a missing `written_at`."""
    said = {"written_at": (cue.written_at or at).isoformat()}
    return tuple(said.get(one, getattr(cue, one)) for one in CUE_COLUMNS.split(", "))


def cue_of(row: Row) -> Cue:
    """From CUE_COLUMNS."""
    said = named(CUE_COLUMNS, row)
    del said["cue_id"]  # the text says it
    said["written_at"] = datetime.fromisoformat(said["written_at"])
    return Cue(**said)


def _reading_order(cue: Cue) -> tuple[bool, str, str]:
    return cue.breadth == "broad", cue.origin, cue.text


def proved(connection: Connection) -> list[Cue]:
    """The cues that sessions wrote, newest first."""
    sql = f"SELECT {CUE_COLUMNS} FROM cues WHERE origin = 'session'"
    return [cue_of(row) for row in connection.execute(f"{sql} ORDER BY written_at DESC, cue_id")]


def cue_standing(connection: Connection) -> CueStanding:
    """See `CueSearch`."""
    (stored,) = connection.execute("SELECT count(*) FROM memories").fetchone()
    known, proved = connection.execute(
        "SELECT count(DISTINCT CASE WHEN origin <> 'session' THEN memory_id END), "
        "count(CASE WHEN origin = 'session' THEN 1 END) FROM cues"
    ).fetchone()
    share = min(1.0, known / stored) if stored else 0.0
    named = connection.execute("SELECT 1 FROM replacements LIMIT 1").fetchone()
    return CueStanding(
        share=share,
        proved=bool(proved) and learns(connection),
        name_replaced=named is not None,
        memories=stored,
    )


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
