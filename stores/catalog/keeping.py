"""The status of memories as catalog rows. Writes run inside a transaction.

A memory that is put again keeps its status. A removed memory leaves nothing behind, and what it had
superseded stays superseded: by the removed memory's own successor, if it has one.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeAlias

from secondhop.stores.catalog.erasing import read_forgotten_origins
from secondhop.stores.catalog.reads import memories_where, shown_memory
from secondhop.stores.catalog.rows import (
    HISTORY_COLUMNS,
    KEEPING_COLUMNS,
    history_of,
    history_row,
    keeping_of,
    keeping_row,
    slot_of,
    slot_of_fact,
)
from secondhop.stores.catalog.versions import drop_earlier, earlier_texts
from secondhop.stores.database import Connection
from secondhop.stores.keeping import AS_STORED, HistoryEntry, Keeping, KeepingChange, Kind
from secondhop.stores.records import EarlierText, Memory


def keeping(connection: Connection, memory_id: str) -> Keeping:
    """The status of one memory."""
    sql = f"SELECT {KEEPING_COLUMNS} FROM keeping WHERE memory_id = ?"
    row = connection.execute(sql, (memory_id,)).fetchone()
    return AS_STORED if row is None else keeping_of(row)[1]


_OF_SLOT = "WHERE kind <> 'continuity' AND kind = ? AND slot = ?"
"""The first condition is that of the index of slots."""


class KeepingView:
    """What a decision may read from the catalog."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def memory(self, memory_id: str) -> Memory | None:
        """The memory of this id, or None."""
        return shown_memory(self.connection, memory_id)

    def keeping(self, memory_id: str) -> Keeping:
        """The status of this memory."""
        return keeping(self.connection, memory_id)

    def superseded_by(self, memory_id: str) -> list[str]:
        """Ids of the memories that this one superseded, sorted."""
        sql = "SELECT memory_id FROM keeping WHERE superseded_by = ?"
        return sorted(found for (found,) in self.connection.execute(sql, (memory_id,)))

    def rivals(self, memory: Memory) -> list[Memory]:
        """Other memories of the same slot, oldest first; [] for continuity."""
        if memory.kind == "continuity":
            return []
        found = memories_where(self.connection, _OF_SLOT, memory.kind, slot_of(memory))
        return [other for other in found if other.memory_id != memory.memory_id]

    def namesakes(self, memory: Memory, *, since: datetime) -> list[Memory]:
        """Continuity memories with its title, its source and the words of its first message, that
        were written at `since` or later, oldest first."""
        # the condition on `preferential` is that of the index `memories_by_date`
        where = """WHERE kind <> 'preferential' AND created_at >= ? AND kind = 'continuity'
            AND title = ? AND source = ? AND replace(messages, ?, '') <> messages"""
        words = json.dumps(memory.messages[0].content)
        values = since.isoformat(), memory.title, memory.source, words
        return memories_where(self.connection, where, *values)

    def facts_named(self, subject: str, attribute: str) -> list[Memory]:
        """The facts with this subject and attribute, oldest first."""
        slot = slot_of_fact(subject, attribute)
        return memories_where(self.connection, _OF_SLOT, "factual", slot)

    def of_kind(self, kind: Kind) -> list[Memory]:
        """All facts, or all preferences, oldest first."""
        return memories_where(self.connection, "WHERE kind <> 'continuity' AND kind = ?", kind)

    def remembered_because(self) -> list[tuple[str, str]]:
        """(memory id, detail) of all notes on where memories came from, were repeated or ended."""
        sql = """SELECT memory_id, detail FROM history
            WHERE act IN ('remembered', 'repeated', 'deprecated') AND detail <> ''"""
        rows = self.connection.execute(sql)
        return [(str(memory_id), str(detail)) for memory_id, detail in rows]

    def forgotten_origins(self) -> list[str]:
        """Where forgotten memories had been said, in the words of their histories."""
        return read_forgotten_origins(self.connection)

    def history(self, memory_id: str) -> list[HistoryEntry]:
        """What was done to it, in order."""
        sql = f"SELECT {HISTORY_COLUMNS} FROM history WHERE memory_id = ? ORDER BY entry_no"
        return list(map(history_of, self.connection.execute(sql, (memory_id,))))

    def earlier_texts(self, memory_id: str) -> list[EarlierText]:
        """Its earlier texts, oldest first."""
        return earlier_texts(self.connection, memory_id)


def rivals_of(memory_ids: Iterable[str], view: KeepingView) -> dict[str, list[Memory]]:
    """{id of a fact: that fact, then others with its subject and attribute, oldest first}."""
    found = [fact for one in memory_ids if (fact := view.memory(one)) is not None]
    facts = [fact for fact in found if fact.kind == "factual"]
    return {fact.memory_id: [fact, *view.rivals(fact)] for fact in facts}


Decision: TypeAlias = Callable[[KeepingView], Sequence[KeepingChange]]
"""Reads the catalog and decides what changes. If it raises, everything is undone."""


def keep_decided(connection: Connection, decide: Decision) -> None:
    """Change the status of memories. Their texts stay, so nothing is indexed again."""
    keep(connection, decide(KeepingView(connection)))


def keep(connection: Connection, changes: Iterable[KeepingChange]) -> None:
    """Make the changes, and write each into the history of its memory."""
    for change in changes:
        connection.execute("DELETE FROM keeping WHERE memory_id = ?", (change.memory_id,))
        if change.keeping != AS_STORED:
            connection.execute(
                f"INSERT INTO keeping ({KEEPING_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                keeping_row(change.memory_id, change.keeping),
            )
        connection.execute(
            f"INSERT INTO history ({HISTORY_COLUMNS}) VALUES (?, ?, ?, ?, ?)", history_row(change)
        )


def drop_keeping(connection: Connection, memory_ids: Sequence[str]) -> None:
    """Delete the status, history and earlier texts of removed memories, and their ids in the rows
    of other memories."""
    drop_earlier(connection, memory_ids)
    for memory_id in memory_ids:
        heir = keeping(connection, memory_id).superseded_by
        connection.execute(
            "UPDATE keeping SET superseded_by = nullif(?, memory_id) WHERE superseded_by = ?",
            (heir or None, memory_id),
        )
        connection.execute("DELETE FROM keeping WHERE memory_id = ?", (memory_id,))
        connection.execute("DELETE FROM history WHERE memory_id = ?", (memory_id,))
        connection.execute("UPDATE history SET other_id = NULL WHERE other_id = ?", (memory_id,))
