"""Writes cues to the catalog, always inside one transaction.

The vectors of cues are in an index of their own. So the functions here return the ids of deleted
cues, whose vectors are removed next.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from secondhop.stores.catalog import stored_ids
from secondhop.stores.catalog.cues import (
    ANNOTATION_COLUMNS,
    CUE_COLUMNS,
    TABLES,
    cue_row,
    learns,
    of_memories,
)
from secondhop.stores.catalog.stored_ids import CUES, among, known
from secondhop.stores.cues import (
    MOST_PROVED,
    MOST_VOTES,
    SAYS_SOMETHING,
    Annotation,
    Cue,
    CueOrigin,
    annotation_given,
    cues_in,
    fingerprint,
    fingerprint_given,
    votes_left,
)
from secondhop.stores.database import Connection
from secondhop.stores.records import Memory


def annotate(
    connection: Connection, annotations: Iterable[Annotation], *, at: datetime
) -> tuple[int, set[str]]:
    """Replace the annotations of the same origin. Returns how many, and the ids of deleted cues.

    Annotations are left out if their memory is gone or its text has changed.
    """
    given = list(annotations)
    sql = "SELECT memory_id, content_hash FROM memories WHERE memory_id IN"
    present: dict[str, str] = dict(among(connection, sql, [one.memory_id for one in given]))
    current = [one for one in given if present.get(one.memory_id) == one.content_hash]
    gone: set[str] = set()
    for one in current:
        gone |= _replace(connection, one, at=at)
        _insert(connection, one, at=at, says=fingerprint(one))
    return len(current), gone


def store_given(connection: Connection, memories: Sequence[Memory], *, at: datetime) -> set[str]:
    """Store the host's annotations of memories that were just put. Returns ids of deleted cues.

    A model's annotation of an older text is deleted.
    """
    ids = [memory.memory_id for memory in memories]
    sql = "SELECT memory_id, fingerprint FROM annotations WHERE origin = 'host' AND memory_id IN"
    before: Mapping[str, str] = dict(among(connection, sql, ids))
    gone = _drop_outdated(connection, ids)
    for memory in memories:
        said, says = before.get(memory.memory_id, ""), fingerprint_given(memory)
        if said != says:
            given = annotation_given(memory, at=at)
            gone |= _replace(connection, given, at=at)
            if says:
                _insert(connection, given, at=at, says=says)
        elif memory.memory_id in before:
            connection.execute(
                "UPDATE annotations SET content_hash = ? WHERE memory_id = ? AND origin = 'host'",
                (memory.content_hash, memory.memory_id),
            )
    return gone - known(connection, sorted(gone), CUES)


def set_given(connection: Connection, new: Annotation, *, at: datetime) -> set[str]:
    """Replace the host's annotation of a memory and all its cues. Returns ids of deleted cues.

    The fingerprint stays that of what was ingested, so an ingest of the same file changes nothing.
    Does nothing if the memory is gone.
    """
    if not stored_ids.stored(connection, [new.memory_id]):
        return set()
    stored = of_memories(connection, [new.memory_id]).get(new.memory_id, ())
    before = {one.cue_id for one in stored if one.origin == "host"}
    gone = remove_cues(connection, before - {one.cue_id for one in new.cues})
    says = _fingerprint_of(connection, new)
    _drop_said(connection, new.memory_id)
    add_cues(connection, [one for one in new.cues if one.cue_id not in before], at=at)
    _insert(connection, new, at=at, says=says)
    return gone


def add_cues(connection: Connection, cues: Iterable[Cue], *, at: datetime) -> None:
    """Add cues of stored memories. A cue of the host replaces a model's cue in the same words."""
    given = list(cues)
    stored = set(stored_ids.stored(connection, [cue.memory_id for cue in given]))
    for cue in given:
        if cue.memory_id in stored:
            if cue.origin == "host":
                connection.execute("DELETE FROM cues WHERE cue_id = ?", (cue.cue_id,))
            row = cue_row(cue, at=at)
            connection.execute(
                f"INSERT INTO cues ({CUE_COLUMNS}) VALUES ({','.join('?' * len(row))}) "
                f"ON CONFLICT DO NOTHING",
                row,
            )


def prove(connection: Connection, votes: Iterable[Cue], *, at: datetime) -> set[str]:
    """Add votes of a session to the cues they are about. Returns the ids of deleted cues.

    A cue is deleted if its votes have become too weak. If a memory has too many cues, the weakest
    cues of other questions are deleted. Votes on memories that are gone are ignored, and so are all
    votes while learning is off.
    """
    given = list(votes)
    if not learns(connection):
        return set()
    memory_ids = [cue.memory_id for cue in given]
    before, now = of_memories(connection, memory_ids), {cue.cue_id for cue in given}
    gone: set[str] = set()
    for memory_id in stored_ids.stored(connection, memory_ids):
        own = {one.cue_id: one for one in before.get(memory_id, ()) if one.origin == "session"}
        for cue in given:
            if cue.memory_id == memory_id:
                own[cue.cue_id] = added_up(own.get(cue.cue_id), cue, at=at)
        telling = sorted(own.values(), key=lambda one: (one.cue_id not in now, -abs(one.proved)))
        kept = [one for one in telling if abs(one.proved) >= SAYS_SOMETHING][:MOST_PROVED]
        remove_cues(connection, own)
        add_cues(connection, kept, at=at)
        gone |= own.keys() - {one.cue_id for one in kept}
    return gone


def added_up(before: Cue | None, votes: Cue, *, at: datetime) -> Cue:
    """A session's cue with more votes, faded to the present and bounded by `MOST_VOTES`."""
    now, stood = votes.written_at or at, 0.0
    if before is not None:
        then = before.written_at or at
        now = max(now, then)
        stood = votes_left(before.proved, then, now)
    proved = max(-MOST_VOTES, min(MOST_VOTES, stood + votes.proved))
    return replace(votes, proved=round(proved, 4), written_at=now)


def remove_cues(connection: Connection, cue_ids: Iterable[str]) -> set[str]:
    """Delete these cues. Returns the ids of those that existed."""
    existing = known(connection, sorted(cue_ids), CUES)
    connection.executemany("DELETE FROM cues WHERE cue_id = ?", [(one,) for one in existing])
    return existing


def drop_cues_of(connection: Connection, memory_ids: Sequence[str]) -> set[str]:
    """Delete the cues and annotations of these memories, and notes that others replace them.
    Returns the ids of deleted cues."""
    sql = "SELECT cue_id FROM cues WHERE memory_id IN"
    gone = {cue_id for (cue_id,) in among(connection, sql, memory_ids)}
    ids = [(memory_id,) for memory_id in memory_ids]
    for table in TABLES:
        connection.executemany(f"DELETE FROM {table} WHERE memory_id = ?", ids)
    connection.executemany("DELETE FROM replacements WHERE replaced_id = ?", ids)
    return gone


def _drop_outdated(connection: Connection, memory_ids: Sequence[str]) -> set[str]:
    """Delete models' annotations of older texts of these memories. Returns ids of deleted cues."""
    sql = (
        "SELECT memory_id FROM annotations JOIN memories USING (memory_id) "
        "WHERE annotations.origin = 'model' AND annotations.content_hash <> memories.content_hash "
        "AND memory_id IN"
    )
    outdated = [memory_id for (memory_id,) in among(connection, sql, memory_ids)]
    return set[str]().union(*(_drop(connection, one, origin="model") for one in outdated))


def _drop(connection: Connection, memory_id: str, *, origin: CueOrigin) -> set[str]:
    """Delete the cues and annotation of one origin. Returns the ids of deleted cues."""
    where = "WHERE memory_id = ? AND origin = ?"
    rows = connection.execute(f"SELECT cue_id FROM cues {where}", (memory_id, origin))
    gone = {cue_id for (cue_id,) in rows}
    for table in TABLES:
        connection.execute(f"DELETE FROM {table} {where}", (memory_id, origin))
    return gone


def _replace(connection: Connection, new: Annotation, *, at: datetime) -> set[str]:
    """Replace the cues of the same origin, and delete its annotation. Returns ids of deleted cues.

    Cues that the host added one by one stay. Cues that were removed one by one do not come back as
    long as the host's annotations keep naming them.
    """
    before = cues_in(_fingerprint_of(connection, new), memory_id=new.memory_id)
    cues = {cue.cue_id: cue for cue in new.cues}
    if new.origin == "host":
        gone = remove_cues(connection, before - cues.keys())
        _drop_said(connection, new.memory_id)
        fresh = [cue for cue_id, cue in cues.items() if cue_id not in before]
    else:
        gone, fresh = _drop(connection, new.memory_id, origin=new.origin), list(cues.values())
    add_cues(connection, fresh, at=at)
    return gone - known(connection, sorted(gone), CUES)


def _fingerprint_of(connection: Connection, new: Annotation) -> str:
    """The fingerprint of the stored annotation of the same memory and origin, or ""."""
    row = connection.execute(
        "SELECT fingerprint FROM annotations WHERE memory_id = ? AND origin = ?",
        (new.memory_id, new.origin),
    ).fetchone()
    return row[0] if row else ""


def _drop_said(connection: Connection, memory_id: str) -> None:
    """Delete the host's annotation; its cues stay."""
    for table in ("annotations", "replacements"):
        sql = f"DELETE FROM {table} WHERE memory_id = ? AND origin = 'host'"
        connection.execute(sql, (memory_id,))


def _insert(connection: Connection, new: Annotation, *, at: datetime, says: str) -> None:
    """Insert the annotation without its cues, under the fingerprint `says`."""
    written_at = (new.written_at or at).isoformat()
    connection.execute(
        f"INSERT INTO annotations ({ANNOTATION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            new.memory_id,
            new.origin,
            new.content_hash,
            new.role,
            says,
            new.prompt,
            new.model,
            written_at,
        ),
    )
    connection.executemany(
        "INSERT INTO replacements (memory_id, origin, replaced_id) VALUES (?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        [(new.memory_id, new.origin, one) for one in new.replaces],
    )
