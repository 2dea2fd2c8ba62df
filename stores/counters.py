"""How often each memory was retrieved, shown and accepted: three counters, apart from the catalog.

A recall writes nothing here. `accept` writes what was of use; only what
was accepted strengthens a memory (see `ranking.strength`), so that being shown breeds nothing.
What was shown lately is written with it, where variety is asked for (`RankingSettings.freshness`).
"""

import asyncio
import json
import logging
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
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
        # what the last answers showed, where variety was asked for: one row a question and memory
        """CREATE TABLE IF NOT EXISTS lately (
        question TEXT NOT NULL,     -- a digest
        place INTEGER NOT NULL,     -- of the question; grows
        at TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        shown INTEGER NOT NULL,
        wear REAL NOT NULL,
        PRIMARY KEY (question, memory_id)
    ) WITHOUT ROWID""",
    ),
)
"""Files of earlier versions have no number and lack the last table."""
LATELY_KEPT = 64
"""Questions of which it is kept what they showed."""

_NAMING_MEMORIES = ("counters", "counted", "lately")
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
class ShownLately:
    """One question's answer, for other questions that are to bring something else."""

    question: str
    """A digest: the words of a question are kept nowhere."""
    at: datetime
    """When it was asked."""
    memory_ids: Sequence[str]
    weary: Mapping[str, float] = field(default_factory=dict[str, float])
    """{memory id: wear, 0..1} that the question itself met: it meets the same when asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What became of one recall."""

    trace_id: str
    at: datetime
    retrieved: Sequence[str]
    shown: Sequence[str]
    accepted: Sequence[str]
    lately: ShownLately | None = None
    """The answer, where what is shown lately is to yield; None: it is not."""


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

    async def lately(self) -> Sequence[ShownLately]:
        """What the last `LATELY_KEPT` questions that were counted showed, the oldest first."""
        return await asyncio.to_thread(self._lately)

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
            if use.lately is not None:
                _show(connection, use.lately)
        return grown

    def _lately(self) -> list[ShownLately]:
        if not self._database.exists():
            return []
        with self._reading() as connection:
            if not self._database.version(connection):
                return []
            rows = connection.execute(
                "SELECT question, at, memory_id, shown, wear FROM lately "
                "ORDER BY at, place, memory_id"
            ).fetchall()
        return [
            _as_shown(question, at, [row[2:] for row in group])
            for (question, at), group in groupby(rows, key=lambda row: row[:2])
        ]

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
            *tables, new = _NAMING_MEMORIES
            tables += [new] if self._database.version(connection) else []
            rows = connection.execute(
                " UNION ".join(f"SELECT memory_id FROM {table}" for table in tables)
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


def _show(connection: Connection, shown: ShownLately) -> None:
    """A question asked again keeps its place: it is not shown more lately for others."""
    known = connection.execute(
        "SELECT place, at FROM lately WHERE question = ? LIMIT 1", (shown.question,)
    ).fetchone()
    (last,) = connection.execute("SELECT coalesce(max(place), 0) FROM lately").fetchone()
    place, at = known or (last + 1, shown.at.astimezone(UTC).isoformat())
    connection.execute("DELETE FROM lately WHERE question = ?", (shown.question,))
    connection.executemany(
        "INSERT INTO lately (question, place, at, memory_id, shown, wear) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                shown.question,
                place,
                at,
                memory_id,
                int(memory_id in shown.memory_ids),
                shown.weary.get(memory_id, 0.0),
            )
            for memory_id in dict.fromkeys([*shown.memory_ids, *shown.weary])
        ],
    )
    connection.execute(
        "DELETE FROM lately WHERE place NOT IN "
        "(SELECT place FROM lately GROUP BY place, at ORDER BY at DESC, place DESC LIMIT ?)",
        (LATELY_KEPT,),
    )


def _as_shown(question: str, at: str, rows: Sequence[tuple[str, int, float]]) -> ShownLately:
    return ShownLately(
        question=question,
        at=datetime.fromisoformat(at),
        memory_ids=[memory_id for memory_id, shown, _ in rows if shown],
        weary={memory_id: wear for memory_id, _, wear in rows if wear},
    )
