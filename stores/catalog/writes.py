"""Stores and deletes the rows of memories in the catalog, always inside one transaction."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from secondhop.stores.catalog import lexicon
from secondhop.stores.catalog import reads as catalog_reads
from secondhop.stores.catalog.analysis import analyzer_id, document_terms
from secondhop.stores.catalog.notes import adjust, write_meta
from secondhop.stores.catalog.rows import (
    MEMORY_COLUMNS,
    PASSAGE_COLUMNS,
    memory_row,
    passage_of,
    passage_row,
)
from secondhop.stores.database import Connection
from secondhop.stores.records import EmbeddedMemory, Passage

COLUMNS = f"{MEMORY_COLUMNS}, slot, content_hash, passage_count"

UPSERT = (
    f"INSERT INTO memories ({COLUMNS}) VALUES ({','.join('?' * 15)}) ON CONFLICT (memory_id) "
    f"DO UPDATE SET {', '.join(f'{one} = excluded.{one}' for one in COLUMNS.split(', '))}"
)


def store_memories(connection: Connection, batch: Sequence[EmbeddedMemory]) -> set[str]:
    """Insert memories, or replace them, with their passages and postings.

    A passage that stays as it is keeps its row. Returns the ids of deleted passages.
    """
    own = {passage.passage_id for e in batch for passage in e.passages}
    before = [stored for e in batch for stored in _stored_passages(connection, e.memory.memory_id)]
    kept = {one.passage.passage_id for one in before} & own
    gone = [one for one in before if one.passage.passage_id not in kept]
    _unindex(connection, gone)
    connection.executemany(
        "DELETE FROM passages WHERE passage_no = ?", [(one.passage_no,) for one in gone]
    )
    connection.executemany(
        UPSERT, [memory_row(e.memory, passage_count=len(e.passages)) for e in batch]
    )
    passages = [
        (e.memory.title, one) for e in batch for one in e.passages if one.passage_id not in kept
    ]
    _insert(connection, passages)
    return {one.passage.passage_id for one in gone}


def _insert(connection: Connection, passages: Sequence[tuple[str, Passage]]) -> None:
    """Insert passages with their postings.

    Args:
        passages: each with the title of its memory.
    """
    (highest,) = connection.execute("SELECT coalesce(max(passage_no), 0) FROM passages").fetchone()
    indexed = [
        _indexed(passage_no, passage, title=title)
        for passage_no, (title, passage) in enumerate(passages, start=highest + 1)
    ]
    connection.executemany(
        f"INSERT INTO passages (passage_no, {PASSAGE_COLUMNS}, terms) "
        f"VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            passage_row(passage, passage_no=entry.passage_no, terms=entry.length)
            for (_, passage), entry in zip(passages, indexed, strict=True)
        ],
    )
    lexicon.add(connection, indexed)
    adjust(connection, "passages", len(indexed))
    adjust(connection, "terms", sum(entry.length for entry in indexed))


def drop_memories(connection: Connection, memory_ids: Sequence[str]) -> set[str]:
    """Delete these memories (no id twice) with their passages and postings.

    Returns the ids of the deleted passages.
    """
    stored = [one for memory_id in memory_ids for one in _stored_passages(connection, memory_id)]
    _unindex(connection, stored)
    connection.executemany(
        "DELETE FROM memories WHERE memory_id = ?", [(memory_id,) for memory_id in memory_ids]
    )
    return {one.passage.passage_id for one in stored}


def _unindex(connection: Connection, stored: Iterable["_Stored"]) -> None:
    """Delete the postings of these passages."""
    indexed = [one.indexed() for one in stored]
    lexicon.remove(connection, indexed)
    adjust(connection, "passages", -len(indexed))
    adjust(connection, "terms", -sum(entry.length for entry in indexed))


def rebuild_lexicon(connection: Connection) -> None:
    """Build the lexical index again from the stored text, with the current analyzer."""
    write_meta(connection, {"analyzer": analyzer_id()})
    connection.execute("DELETE FROM postings")
    connection.execute("DELETE FROM meta WHERE key = 'terms'")
    for (memory_id,) in connection.execute("SELECT memory_id FROM memories").fetchall():
        indexed = [one.indexed() for one in _stored_passages(connection, memory_id)]
        lexicon.add(connection, indexed)
        adjust(connection, "terms", sum(entry.length for entry in indexed))
        connection.executemany(
            "UPDATE passages SET terms = ? WHERE passage_no = ?",
            [(entry.length, entry.passage_no) for entry in indexed],
        )


class _Stored(NamedTuple):
    """A stored passage with its number and the title of its memory."""

    passage_no: int
    passage: Passage
    title: str

    def indexed(self) -> lexicon.IndexedPassage:
        return _indexed(self.passage_no, self.passage, title=self.title)


def _stored_passages(connection: Connection, memory_id: str) -> Iterator[_Stored]:
    memory = catalog_reads.memory(connection, memory_id)
    if memory is None:
        return
    for passage_no, *row in connection.execute(
        f"SELECT passage_no, {PASSAGE_COLUMNS} FROM passages WHERE memory_id = ?", (memory_id,)
    ):
        yield _Stored(passage_no, passage_of(tuple(row)), memory.title)


def _indexed(passage_no: int, passage: Passage, *, title: str) -> lexicon.IndexedPassage:
    return lexicon.IndexedPassage(
        passage_no=passage_no,
        title_terms=[*document_terms(title), *document_terms(passage.heading)],
        text_terms=document_terms(passage.text),
    )
