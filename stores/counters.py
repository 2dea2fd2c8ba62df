"""Counts how often each memory was retrieved, shown and accepted, outside the catalog.

A recall writes nothing here. `accept` writes what was of use; only what
was accepted strengthens a memory (see `ranking.strength`), so that being shown breeds nothing.
"""

import asyncio
import json
import logging
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from secondhop.errors import StoreError
from secondhop.stores.database import Connection, Database
from secondhop.stores.sqlite import Migration, SqliteDatabase

logger = logging.getLogger(__name__)

COUNTERS: Sequence[Migration] = (
    (
        """CREATE TABLE IF NOT EXISTS counters (
        memory_id TEXT PRIMARY KEY,
        retrieved INTEGER NOT NULL,
        shown INTEGER NOT NULL,
        accepted INTEGER NOT NULL,
        accepted_at TEXT
    ) WITHOUT ROWID""",
        # a recall counts once, however often it is accepted
        """CREATE TABLE IF NOT EXISTS counted (
        trace_id TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        what TEXT NOT NULL,
        PRIMARY KEY (trace_id, memory_id, what)
    ) WITHOUT ROWID""",
    ),
    # what the last answers had shown
    ("DROP TABLE IF EXISTS lately",),
)
"""Files of version 0.1 have no number."""

_NAMING_MEMORIES = ("counters", "counted")
"""Tables."""

_IF_DAMAGED = "move it away, and counting begins again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Of one memory."""

    retrieved: int = 0
    """Recalls in whose pool it was."""
    shown: int = 0
    """Recalls that returned it."""
    accepted: int = 0
    """Recalls after which it was said to be of use."""
    accepted_at: datetime | None = None
    """When that was last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What became of one recall."""

    trace_id: str
    at: datetime
    retrieved: Sequence[str]
    shown: Sequence[str]
    accepted: Sequence[str]


class CounterStore:
    """The counters of one entity. Reading creates nothing, not even a file beside them."""

    def __init__(self, place: Path | Database) -> None:
        """`place`: a SQLite file, or another database."""
        self._begun: Path | None = None
        """An empty file that says that counting has begun: so a file that is gone is noticed."""
        if isinstance(place, Path):
            self._begun = place.with_suffix(".begun")
            place = SqliteDatabase(
                place, steps=COUNTERS, if_damaged=_IF_DAMAGED, journal="DELETE", keeps_open=False
            )
        self._database: Database = place

    @property
    def database(self) -> Database:
        """Where its rows are."""
        return self._database

    def is_lost(self) -> bool:
        """Whether something was counted, and its file is gone."""
        return self._begun is not None and self._begun.exists() and not self._database.exists()

    def begin_again(self) -> None:
        """Take the loss for granted; the next count makes a new file."""
        if self._begun is not None:
            self._begun.unlink(missing_ok=True)

    async def count(self, use: Use, *, noted: bool = True) -> int:
        """Count one recall; how many counters grew. The same again changes nothing.

        Args:
            noted: False: no note is kept of which recall it was; for a caller that counts it once.
        """
        return await asyncio.to_thread(self._count, use, noted)

    async def of(self, memory_ids: Sequence[str]) -> dict[str, Counters]:
        """{memory id: its counters} of all these; zeros for those never counted."""
        found = await asyncio.to_thread(self._of, list(dict.fromkeys(memory_ids)))
        return {memory_id: found.get(memory_id, Counters()) for memory_id in memory_ids}

    async def memory_ids(self) -> set[str]:
        """Every memory of which anything is counted."""
        return await asyncio.to_thread(self._memory_ids)

    async def forget(self, memory_ids: Sequence[str]) -> None:
        """Forget these memories, overwriting where they stood."""
        if self._database.exists():
            await asyncio.to_thread(self._forget, memory_ids)

    async def restore(self, counted: Mapping[str, Counters]) -> None:
        """Set counters of memories that have none, as an export tells them."""
        if counted:
            await asyncio.to_thread(self._restore, counted)

    def _restore(self, counted: Mapping[str, Counters]) -> None:
        with self._writing() as connection:
            connection.executemany(
                "INSERT INTO counters (memory_id, retrieved, shown, accepted, accepted_at) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [
                    (
                        memory_id,
                        one.retrieved,
                        one.shown,
                        one.accepted,
                        one.accepted_at.isoformat() if one.accepted_at else None,
                    )
                    for memory_id, one in counted.items()
                ],
            )

    def _count(self, use: Use, noted: bool) -> int:
        grown = 0
        with self._writing() as connection:
            for what, memory_ids in (
                ("retrieved", use.retrieved),
                ("shown", use.shown),
                ("accepted", use.accepted),
            ):
                fresh = [
                    one
                    for one in dict.fromkeys(memory_ids)
                    if not noted or _is_first(connection, use.trace_id, one, what)
                ]
                grown += len(fresh)
                _add(connection, what, fresh)
            connection.executemany(
                "UPDATE counters SET accepted_at = ? "
                "WHERE memory_id = ? AND coalesce(accepted_at, '') < ?",
                [(use.at.isoformat(), i, use.at.isoformat()) for i in use.accepted],
            )
        return grown

    def _of(self, memory_ids: list[str]) -> dict[str, Counters]:
        if not self._database.exists():
            return {}
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT memory_id, retrieved, shown, accepted, accepted_at FROM counters "
                "WHERE memory_id IN (SELECT value FROM json_each(?))",
                (json.dumps(memory_ids),),
            ).fetchall()
            return {
                memory_id: Counters(
                    retrieved=int(retrieved),
                    shown=int(shown),
                    accepted=int(accepted),
                    accepted_at=datetime.fromisoformat(at) if at else None,
                )
                for memory_id, retrieved, shown, accepted, at in rows
            }

    def _memory_ids(self) -> set[str]:
        if not self._database.exists():
            return set()
        with self._reading() as connection:
            rows = connection.execute(
                " UNION ".join(f"SELECT memory_id FROM {table}" for table in _NAMING_MEMORIES)
            ).fetchall()
            for (memory_id,) in rows:
                memory_id.encode()  # what is no text is damage
        return {memory_id for (memory_id,) in rows}

    def _forget(self, memory_ids: Sequence[str]) -> None:
        with self._writing() as connection:
            for table in _NAMING_MEMORIES:
                connection.executemany(
                    f"DELETE FROM {table} WHERE memory_id = ?", [(i,) for i in memory_ids]
                )
        self._database.erase_leftovers()

    @contextmanager
    def _writing(self) -> Generator[Connection, None, None]:
        if self.is_lost():
            logger.warning(
                "the counters in %s are gone; counting begins again", self._database.name
            )
        self._database.migrate()
        if self._begun is not None and not self._begun.exists():
            self._begun.touch()
        with self._database.writing() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Generator[Connection, None, None]:
        try:
            with self._database.reading() as connection:
                yield connection
        except (ValueError, TypeError, AttributeError) as error:
            raise StoreError(
                f"the counters in {self._database.name} cannot be read ({error}); {_IF_DAMAGED}"
            ) from error


def _is_first(connection: Connection, trace_id: str, memory_id: str, what: str) -> bool:
    noted = connection.execute(
        "INSERT INTO counted (trace_id, memory_id, what) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (trace_id, memory_id, what),
    )
    return noted.rowcount > 0


def _add(connection: Connection, what: str, memory_ids: Iterable[str]) -> None:
    connection.executemany(
        f"INSERT INTO counters (memory_id, retrieved, shown, accepted) "
        f"VALUES (?, {int(what == 'retrieved')}, {int(what == 'shown')}, {int(what == 'accepted')})"
        f" ON CONFLICT (memory_id) DO UPDATE SET {what} = counters.{what} + 1",
        [(memory_id,) for memory_id in memory_ids],
    )
