"""What was learned of one entity: tables of their own, made with the first lesson.

In a SQLite file what is deleted is overwritten, and the file has a rollback journal, which SQLite
deletes after each write. So no byte of what was forgotten stays in it.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from secondhop.errors import CorruptStoreError
from secondhop.stores.database import Connection, Database
from secondhop.stores.lessons import (
    DOCUMENT,
    ContextCentre,
    LearnedContext,
    LearningChange,
    LearningState,
)
from secondhop.stores.records import Vector
from secondhop.stores.sqlite import Migration, SqliteDatabase

T = TypeVar("T")

IF_DAMAGED = "put a backup of it in place, or delete it, and learning starts again"
"""What to do with a file that cannot be read: nothing but lessons is lost with it."""

LEARNING: Sequence[Migration] = (
    (
        """CREATE TABLE IF NOT EXISTS contexts (
            context_id TEXT PRIMARY KEY,
            embedder_id TEXT NOT NULL,
            vector BLOB NOT NULL,
            lessons TEXT NOT NULL
        ) WITHOUT ROWID""",
        "CREATE TABLE IF NOT EXISTS switch (off INTEGER NOT NULL)",
    ),
    (
        # version 0.1 kept pairs and a count of rounds, which nothing needs
        "DROP TABLE IF EXISTS rounds",
        "UPDATE contexts SET lessons = json_remove(lessons, '$.pairs') WHERE json_valid(lessons)",
    ),
)

_ALL = "SELECT context_id, embedder_id, vector, lessons FROM contexts"


class LearningStore:
    """The lessons of one entity. Reading writes nothing."""

    def __init__(self, place: Path | Database) -> None:
        """`place`: a SQLite file, or another database."""
        self._database: Database = (
            SqliteDatabase(place, steps=LEARNING, if_damaged=IF_DAMAGED, journal="DELETE")
            if isinstance(place, Path)
            else place
        )

    @property
    def database(self) -> Database:
        """Where its rows are."""
        return self._database

    async def read(self) -> LearningState:
        """Everything; nothing at all before the first lesson."""
        return await asyncio.to_thread(self._read)

    async def centres(self) -> list[ContextCentre]:
        """Where the contexts lie; [] while learning is off. Cheap, for every recall asks it."""
        return await asyncio.to_thread(self._centres_in_use)

    async def contexts(self, context_ids: Collection[str]) -> list[LearnedContext]:
        """Contexts with their lessons; unknown ids are left out."""
        return await asyncio.to_thread(self._contexts, context_ids)

    async def change(self, decide: Callable[[LearningState], LearningChange | None]) -> None:
        """Decide on what is known and write it, in one transaction; None writes nothing.

        `decide` is called in another thread. Nothing is written between what it sees and what
        it decides.
        """
        await asyncio.to_thread(self._change, decide)

    async def switch(self, *, on: bool) -> None:
        """Whether anything is learned and used from now on."""
        if not on or self._database.exists():
            await asyncio.to_thread(self._switch, on)

    async def forget(self, memory_ids: Collection[str]) -> None:
        """Nothing of these memories is left when it returns; unknown ids are no error."""
        if self._database.exists():
            await self.change(lambda known: without(known, frozenset(memory_ids)))

    async def clear(self) -> None:
        """Forget everything but whether it is switched on."""
        if self._database.exists():
            await self.change(
                lambda known: LearningChange(dropped=[one.context_id for one in known.contexts])
            )

    async def aclose(self) -> None:
        """Close what is open."""
        await asyncio.to_thread(self._database.close)

    # --- blocking parts, for worker threads ---

    def _read(self) -> LearningState:
        if not self._database.exists():
            return LearningState()
        with self._database.reading() as connection:
            return self._state(connection)

    def _centres_in_use(self) -> list[ContextCentre]:
        if not self._database.exists():
            return []
        with self._database.reading() as connection:
            if not self._is_made(connection) or not _is_on(connection):
                return []
            rows = connection.execute("SELECT context_id, embedder_id, vector FROM contexts")
            return [self._told(centre_of, row) for row in rows]

    def _contexts(self, context_ids: Collection[str]) -> list[LearnedContext]:
        if not self._database.exists():
            return []
        with self._database.reading() as connection:
            if not self._is_made(connection):
                return []
            found = [
                connection.execute(f"{_ALL} WHERE context_id = ?", (one,)).fetchone()
                for one in sorted(context_ids)
            ]
            return [self._told(context_of, row) for row in found if row is not None]

    def _change(self, decide: Callable[[LearningState], LearningChange | None]) -> None:
        self._database.migrate()
        with self._database.writing() as connection:
            change = decide(self._state(connection))
            if change is not None:
                _write(connection, change)

    def _switch(self, on: bool) -> None:
        self._database.migrate()
        with self._database.writing() as connection:
            connection.execute("DELETE FROM switch")
            if not on:
                connection.execute("INSERT INTO switch (off) VALUES (1)")

    def _state(self, connection: Connection) -> LearningState:
        if not self._is_made(connection):
            return LearningState()
        rows = connection.execute(f"{_ALL} ORDER BY context_id")
        contexts = [self._told(context_of, row) for row in rows]
        return LearningState(on=_is_on(connection), contexts=contexts)

    def _is_made(self, connection: Connection) -> bool:
        """False: another process is making the file, or was killed while it did."""
        return self._database.version(connection) > 0

    def _told(self, of: Callable[..., T], row: Sequence[Any]) -> T:
        """What a row says.

        Raises:
            CorruptStoreError: it cannot be read.
        """
        try:
            return of(*row)
        except (ValueError, TypeError) as error:
            raise CorruptStoreError(
                f"{self._database.name} is damaged ({error!r}); {IF_DAMAGED}"
            ) from error


def centre_of(context_id: str, embedder_id: str, vector: bytes) -> ContextCentre:
    """Where a context lies.

    Raises:
        ValueError, TypeError: these are no such values.
    """
    return ContextCentre(context_id=context_id, embedder_id=embedder_id, vector=vector_of(vector))


def context_of(context_id: str, embedder_id: str, vector: bytes, lessons: str) -> LearnedContext:
    """A context with its lessons.

    Raises:
        ValueError, TypeError: these are no such values.
    """
    return LearnedContext(
        context_id=context_id,
        embedder_id=embedder_id,
        vector=vector_of(vector),
        lessons=DOCUMENT.validate_json(lessons),
    )


def without(known: LearningState, memory_ids: Collection[str]) -> LearningChange:
    """What forgets memories; a context of which nothing is left goes."""
    told = [one for one in known.contexts if one.lessons.memory_ids() & {*memory_ids}]
    left = [replace(one, lessons=one.lessons.without(memory_ids)) for one in told]
    return LearningChange(
        kept=[one for one in left if one.lessons.memory_ids()],
        dropped=[one.context_id for one in left if not one.lessons.memory_ids()],
    )


def vector_of(stored: bytes) -> Vector:
    """The vector that these bytes are.

    Raises:
        ValueError, TypeError: they are none.
    """
    vector = np.frombuffer(stored, dtype="<f4").astype(np.float32)
    if not np.isfinite(vector).all():
        raise ValueError("a vector with numbers without end")
    return vector


def _is_on(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM switch").fetchone() is None


def _write(connection: Connection, change: LearningChange) -> None:
    going = [*change.dropped, *(context.context_id for context in change.kept)]
    connection.executemany("DELETE FROM contexts WHERE context_id = ?", [(one,) for one in going])
    connection.executemany(
        "INSERT INTO contexts (context_id, embedder_id, vector, lessons) VALUES (?, ?, ?, ?)",
        [
            (
                context.context_id,
                context.embedder_id,
                context.vector.astype("<f4").tobytes(),
                DOCUMENT.dump_json(context.lessons).decode(),
            )
            for context in change.kept
        ],
    )
