"""Keeps the earlier texts of memories in the catalog, always inside one transaction.

If a memory is put under an id that is already stored, the old text is kept here. No search reads
it. It is deleted with its memory.

A text is not kept if the new one begins with it (a chat that went on), or if it is kept already
(two exports of one chat in a folder change places at every ingest). So what is kept grows with what
was said, not with the number of ingests.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from secondhop.stores.catalog import reads as catalog_reads
from secondhop.stores.catalog import stored_ids
from secondhop.stores.catalog.rows import MEMORY_COLUMNS, VERSION_COLUMNS, version_of, version_row
from secondhop.stores.database import Connection
from secondhop.stores.records import EarlierText, Memory


def keep_replaced(connection: Connection, memories: Sequence[Memory], *, at: datetime) -> None:
    """Keep the texts that these memories, which are about to be stored, will replace."""
    stored = stored_ids.stored(connection, [memory.memory_id for memory in memories])
    for new in (memory for memory in memories if memory.memory_id in set(stored)):
        old = catalog_reads.memory(connection, new.memory_id)
        if old is None or says_all_of(new, old):
            continue
        if any(same_text(kept.memory, old) for kept in earlier_texts(connection, new.memory_id)):
            continue
        _insert(connection, EarlierText(memory=old, replaced_at=at, replaced_by=new.origin))


def says_all_of(new: Memory, old: Memory) -> bool:
    """Whether `new` begins with all of `old`, so that nothing is lost if it replaces `old`.

    The last message of `old` may be longer in `new`, like a note that was added to. Dates, sources
    and origins do not count.
    """
    if _names(new) != _names(old) or len(new.messages) < len(old.messages):
        return False
    if not old.messages:
        return True
    last = len(old.messages) - 1
    was, goes_on = old.messages[last], new.messages[last]
    return (
        old.messages[:last] == new.messages[:last]
        and was.role == goes_on.role
        and goes_on.content.startswith(was.content)
    )


def same_text(one: Memory, other: Memory) -> bool:
    """Whether a reader would see the same words."""
    return _names(one) == _names(other) and one.messages == other.messages


def earlier_texts(connection: Connection, memory_id: str) -> list[EarlierText]:
    """The earlier texts of one memory, oldest first."""
    sql = f"""SELECT {MEMORY_COLUMNS}, {VERSION_COLUMNS} FROM earlier_texts
        WHERE memory_id = ? ORDER BY version_no"""
    return list(map(version_of, connection.execute(sql, (memory_id,))))


def add_earlier(connection: Connection, texts: Iterable[EarlierText]) -> None:
    """Add earlier texts, oldest first, to stored memories that have none yet."""
    by_memory: dict[str, list[EarlierText]] = {}
    for text in texts:
        by_memory.setdefault(text.memory.memory_id, []).append(text)
    for memory_id in stored_ids.stored(connection, list(by_memory)):
        if not earlier_texts(connection, memory_id):
            for text in by_memory[memory_id]:
                _insert(connection, text)


def drop_earlier(connection: Connection, memory_ids: Sequence[str]) -> None:
    """Delete the earlier texts of these memories."""
    connection.executemany(
        "DELETE FROM earlier_texts WHERE memory_id = ?", [(one,) for one in memory_ids]
    )


def _insert(connection: Connection, text: EarlierText) -> None:
    row = version_row(text)
    connection.execute(
        f"INSERT INTO earlier_texts ({MEMORY_COLUMNS}, {VERSION_COLUMNS}) "
        f"VALUES ({','.join('?' * len(row))})",
        row,
    )


def _names(memory: Memory) -> tuple[str, ...]:
    return (
        memory.title,
        memory.kind,
        memory.subject,
        memory.attribute,
        memory.value,
        memory.scope,
    )
