"""Stores and deletes the rows of memories in the catalog, always inside one transaction."""

from collections.abc import Iterator, Sequence

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


def store_memories(connection: Connection, batch: Sequence[EmbeddedMemory]) -> None:
    """Insert memories that are not stored yet, with their passages and postings."""
    connection.executemany(
        f"INSERT INTO memories ({MEMORY_COLUMNS}, slot, content_hash, passage_count) "
        f"VALUES ({','.join('?' * 15)})",
        [memory_row(e.memory, passage_count=len(e.passages)) for e in batch],
    )
    (highest,) = connection.execute("SELECT coalesce(max(passage_no), 0) FROM passages").fetchone()
    passages = [(e.memory.title, passage) for e in batch for passage in e.passages]
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
    rows = [row for memory_id in memory_ids for row in _stored_passages(connection, memory_id)]
    indexed = [entry for _, entry in rows]
    lexicon.remove(connection, indexed)
    adjust(connection, "passages", -len(indexed))
    adjust(connection, "terms", -sum(entry.length for entry in indexed))
    connection.executemany(
        "DELETE FROM memories WHERE memory_id = ?", [(memory_id,) for memory_id in memory_ids]
    )
    return {passage.passage_id for passage, _ in rows}


def rebuild_lexicon(connection: Connection) -> None:
    """Build the lexical index again from the stored text, with the current analyzer."""
    write_meta(connection, {"analyzer": analyzer_id()})
    connection.execute("DELETE FROM postings")
    connection.execute("DELETE FROM meta WHERE key = 'terms'")
    for (memory_id,) in connection.execute("SELECT memory_id FROM memories").fetchall():
        indexed = [entry for _, entry in _stored_passages(connection, memory_id)]
        lexicon.add(connection, indexed)
        adjust(connection, "terms", sum(entry.length for entry in indexed))
        connection.executemany(
            "UPDATE passages SET terms = ? WHERE passage_no = ?",
            [(entry.length, entry.passage_no) for entry in indexed],
        )


def _stored_passages(
    connection: Connection, memory_id: str
) -> Iterator[tuple[Passage, lexicon.IndexedPassage]]:
    memory = catalog_reads.memory(connection, memory_id)
    if memory is None:
        return
    for passage_no, *row in connection.execute(
        f"SELECT passage_no, {PASSAGE_COLUMNS} FROM passages WHERE memory_id = ?", (memory_id,)
    ):
        passage = passage_of(tuple(row))
        yield passage, _indexed(passage_no, passage, title=memory.title)


def _indexed(passage_no: int, passage: Passage, *, title: str) -> lexicon.IndexedPassage:
    return lexicon.IndexedPassage(
        passage_no=passage_no,
        title_terms=[*document_terms(title), *document_terms(passage.heading)],
        text_terms=document_terms(passage.text),
    )
