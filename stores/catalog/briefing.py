"""Reads what a briefing may show, with database indexes alone: nothing is searched or embedded.

Superseded, deprecated and expired memories are left out here.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from secondhop.stores.catalog.erasing import forgotten
from secondhop.stores.catalog.reads import memory
from secondhop.stores.catalog.rows import (
    BRIEFABLE_COLUMNS,
    PASSAGE_COLUMNS,
    briefable_of,
    passage_of,
)
from secondhop.stores.database import Connection
from secondhop.stores.keeping import Kind
from secondhop.stores.records import BriefableMemory

AT_MOST: Final = 500
"""The most things to do, and the most preferences, that are read: the newest ones."""

_NO_END: Final = "9999-12-31"
_ALL_OF_THEM: Final = 2**31 - 1

_HOLDS: Final = """coalesce(superseded_at > :until, superseded_at IS NULL)
    AND deprecated_at IS NULL AND coalesce(valid_until > :now, TRUE) AND created_at <= :until"""

_NEWEST: Final = "ORDER BY created_at DESC LIMIT :limit"

_UNMARKED: Final = "coalesce(mark, '') = ''"

_ALL: Final = f"SELECT {BRIEFABLE_COLUMNS} FROM memories LEFT JOIN keeping USING (memory_id)"

_MARKED: Final = f"""SELECT {BRIEFABLE_COLUMNS} FROM keeping JOIN memories USING (memory_id)
    WHERE mark <> '' AND mark = :mark AND {_HOLDS} {_NEWEST}"""
_TO_DO: Final = f"""{_ALL}
    WHERE source IN ('todo', 'task') AND {_UNMARKED} AND {_HOLDS} {_NEWEST}"""
_PREFERENCES: Final = f"""{_ALL}
    WHERE kind <> 'continuity' AND kind = 'preferential' AND {_UNMARKED} AND {_HOLDS} {_NEWEST}"""
_RECENT: Final = f"""{_ALL}
    WHERE kind <> 'preferential' AND source NOT IN ('todo', 'task') AND {_UNMARKED}
    AND {_HOLDS} {_NEWEST}"""
_OF_SLOTS: Final = f"""{_ALL}
    WHERE kind <> 'continuity' AND kind = :kind
    AND slot IN (SELECT value FROM json_each(:ids)) AND {_HOLDS}"""

_TEXTS: Final = f"""SELECT {PASSAGE_COLUMNS} FROM memories JOIN passages USING (memory_id)
    WHERE memory_id IN (SELECT value FROM json_each(:ids))
    AND ordinal = CASE source WHEN 'conversation' THEN passage_count - 1 ELSE 0 END"""

QUERIES: Final = (_MARKED, _TO_DO, _PREFERENCES, _RECENT, _OF_SLOTS, _TEXTS)


class BriefingView:
    """What a briefing may show at one moment. Only reads, and all from one state of the catalog."""

    def __init__(self, connection: Connection, *, now: datetime, until: datetime | None) -> None:
        """See the catalog as it was at a moment (in UTC).

        Args:
            now: memories that expire by then are not valid.
            until: memories written later are left out, and what they superseded is valid.
        """
        self._connection = connection
        self._moments = {
            "now": now.isoformat(),
            "until": until.isoformat() if until else _NO_END,
        }

    def core(self) -> list[BriefableMemory]:
        """All memories marked as core, newest first."""
        return self._rows(_MARKED, mark="core", limit=_ALL_OF_THEM)

    def active(self) -> list[BriefableMemory]:
        """Memories marked as open, and things to do according to their source, newest first."""
        marked = self._rows(_MARKED, mark="open", limit=AT_MOST)
        found = [*marked, *self._rows(_TO_DO, limit=AT_MOST)]
        return sorted(found, key=lambda one: one.created_at, reverse=True)[:AT_MOST]

    def preferences(self) -> list[BriefableMemory]:
        """Preferences without a mark, newest first."""
        return self._rows(_PREFERENCES, limit=AT_MOST)

    def recent(self, limit: int) -> list[BriefableMemory]:
        """The newest facts, notes and conversations without a mark."""
        return self._rows(_RECENT, limit=limit)

    def of_slots(self, kind: Kind, slots: Iterable[str]) -> list[BriefableMemory]:
        """All valid facts, or preferences, of these slots. Several of one slot disagree."""
        wanted = sorted({slot for slot in slots if slot})
        return self._rows(_OF_SLOTS, kind=kind, ids=json.dumps(wanted)) if wanted else []

    def texts(self, memory_ids: Iterable[str]) -> dict[str, str]:
        """{memory id: its first passage, or a conversation's last}; unknown ids are left out."""
        ids = json.dumps(list(memory_ids))
        passages = map(passage_of, self._connection.execute(_TEXTS, {"ids": ids}))
        return {passage.memory_id: passage.text for passage in passages}

    def whole_text(self, memory_id: str) -> str:
        """The whole text of a memory; "" if it is not stored."""
        found = memory(self._connection, memory_id)
        return "" if found is None else found.text

    def _rows(self, sql: str, **values: str | int) -> list[BriefableMemory]:
        found = map(briefable_of, self._connection.execute(sql, self._moments | values))
        gone = forgotten(self._connection)
        return [one for one in found if one.memory_id not in gone]
