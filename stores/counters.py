"""Counts how often each memory was retrieved, shown and accepted, outside the catalog.

A recall writes nothing here; `accept` writes what was of use. Only acceptance strengthens a memory
(see `ranking.session_start`), so being shown does not lead to being shown more.
"""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from secondhop.errors import StoreError
from secondhop.stores.database import Connection, Database
from secondhop.stores.in_a_thread import in_a_thread
from secondhop.stores.sqlite import Migration, SqliteDatabase

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
    # it held what the last answers had shown
    ("DROP TABLE IF EXISTS lately",),
)
"""The schema. Files of version 0.1 have no version number."""

_NAMING_MEMORIES = ("counters", "counted")
"""The tables that contain memory ids."""

_IF_DAMAGED = "move it away, and counting begins again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """The counters of one memory."""

    retrieved: int = 0
    """Recalls that had it in their pool."""
    shown: int = 0
    """Recalls that returned it."""
    accepted: int = 0
    """Recalls after which it was reported to be of use."""
    accepted_at: datetime | None = None
    """When it was last accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """The outcome of one recall: ids of the memories retrieved, shown and accepted."""

    trace_id: str
    at: datetime
    retrieved: Sequence[str]
    shown: Sequence[str]
    accepted: Sequence[str]


class CounterStore:
    """The counters of one entity. Reading creates no file, not even a journal."""

    def __init__(self, place: Path | Database, *, makes_folder: bool = True) -> None:
        """`place`: a SQLite file, or another database; `makes_folder`: see `SqliteDatabase`."""
        if isinstance(place, Path):
            place = SqliteDatabase(
                place,
                steps=COUNTERS,
                if_damaged=_IF_DAMAGED,
                journal="DELETE",
                keeps_open=False,
                makes_folder=makes_folder,
            )
        self.database: Database = place
        """Where its rows are."""

    @in_a_thread
    def count(self, use: Use, *, noted: bool = True) -> int:
        """Count one recall. Returns how many counters grew; repeating the call changes nothing.

        Args:
            noted: remember which recall it was. False: the caller makes sure to count it once.
        """
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

    @in_a_thread
    def of(self, memory_ids: Sequence[str]) -> dict[str, Counters]:
        """{memory id: its counters} for all these ids; zeros for memories never counted."""
        found = dict.fromkeys(memory_ids, Counters())
        if not self.database.exists():
            return found
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT memory_id, retrieved, shown, accepted, accepted_at FROM counters "
                "WHERE memory_id IN (SELECT value FROM json_each(?))",
                (json.dumps([*found]),),
            )
            for memory_id, retrieved, shown, accepted, at in rows:
                found[memory_id] = Counters(
                    retrieved=int(retrieved),
                    shown=int(shown),
                    accepted=int(accepted),
                    accepted_at=datetime.fromisoformat(at) if at else None,
                )
        return found

    @in_a_thread
    def memory_ids(self) -> set[str]:
        """Ids of all memories that the tables name."""
        if not self.database.exists():
            return set()
        with self._reading() as connection:
            rows = connection.execute(
                " UNION ".join(f"SELECT memory_id FROM {table}" for table in _NAMING_MEMORIES)
            ).fetchall()
            for (memory_id,) in rows:
                memory_id.encode()  # an id that is not text is damage
        return {memory_id for (memory_id,) in rows}

    @in_a_thread
    def forget(self, memory_ids: Sequence[str]) -> None:
        """Delete the rows of these memories and overwrite their place in the file."""
        if not self.database.exists():
            return
        with self._writing() as connection:
            for table in _NAMING_MEMORIES:
                connection.executemany(
                    f"DELETE FROM {table} WHERE memory_id = ?", [(i,) for i in memory_ids]
                )
        self.database.erase_leftovers()

    @in_a_thread
    def restore(self, counted: Mapping[str, Counters]) -> None:
        """Set counters from an export, for memories that have none."""
        if not counted:
            return
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

    @contextmanager
    def _writing(self) -> Generator[Connection, None, None]:
        self.database.migrate()
        with self.database.writing() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Generator[Connection, None, None]:
        try:
            with self.database.reading() as connection:
                yield connection
        except (ValueError, TypeError, AttributeError) as error:
            raise StoreError(
                f"the counters in {self.database.name} cannot be read ({error}); {_IF_DAMAGED}"
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
