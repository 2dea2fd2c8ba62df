"""What was learned, in a SQLite file of the entity's folder."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from secondhop.errors import CorruptStoreError, SchemaVersionError
from secondhop.stores.database import Database
from secondhop.stores.learning import (
    ContextCentre,
    LearnedContext,
    LearnedHook,
    LearningChange,
    LearningState,
    Lessons,
    Weight,
)
from secondhop.stores.records import Vector

VERSION = 1
"""`user_version` of the file."""

IF_DAMAGED = "put a backup of it in place, or delete it, and learning begins anew"
"""What to do with a file that cannot be read: nothing but lessons is lost with it."""

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS contexts (
    context_id TEXT PRIMARY KEY,
    embedder_id TEXT NOT NULL,
    vector BLOB NOT NULL,
    lessons TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rounds (
    rounds INTEGER PRIMARY KEY,
    sessions INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS switch (off INTEGER NOT NULL);
PRAGMA user_version = {VERSION};
COMMIT;
"""


class SqliteLearning:
    """A `LearningStore` in one file, made with the first lesson."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, if_damaged=IF_DAMAGED)

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._database.path

    async def read(self) -> LearningState:
        """See `LearningStore`."""
        if not self.path.exists():
            return LearningState()
        return await asyncio.to_thread(self._read)

    async def in_use(self) -> bool:
        """See `LearningStore`."""
        return self.path.exists() and await asyncio.to_thread(self._in_use)

    async def chosen(
        self, choose: Callable[[Sequence[ContextCentre]], Collection[str]]
    ) -> list[LearnedContext]:
        """See `LearningStore`."""
        return await asyncio.to_thread(self._chosen, choose) if self.path.exists() else []

    async def change(self, decide: Callable[[LearningState], LearningChange | None]) -> None:
        """See `LearningStore`."""
        await asyncio.to_thread(self._change, decide)

    async def switch(self, *, on: bool) -> None:
        """See `LearningStore`."""
        if not on or self.path.exists():
            await asyncio.to_thread(self._switch, on)

    async def forget(self, memory_ids: Sequence[str]) -> None:
        """See `LearningStore`."""
        if self.path.exists():
            await asyncio.to_thread(self._forget, frozenset(memory_ids))

    async def clear(self) -> None:
        """See `LearningStore`."""
        if self.path.exists():
            await asyncio.to_thread(self._clear)

    async def aclose(self) -> None:
        """See `LearningStore`."""
        await asyncio.to_thread(self._database.close)

    # --- blocking parts, for worker threads ---

    def _read(self) -> LearningState:
        with self._database.reading() as connection:
            return self._state(connection)

    def _in_use(self) -> bool:
        with self._database.reading() as connection:
            if not self._is_made(connection) or not _is_on(connection):
                return False
            return connection.execute("SELECT 1 FROM contexts LIMIT 1").fetchone() is not None

    def _chosen(
        self, choose: Callable[[Sequence[ContextCentre]], Collection[str]]
    ) -> list[LearnedContext]:
        with self._database.reading() as connection:
            if not self._is_made(connection):
                return []
            centres = self._centres(connection)
            named = set(choose(centres))
            return self._contexts(connection, [one for one in centres if one.context_id in named])

    def _change(self, decide: Callable[[LearningState], LearningChange | None]) -> None:
        self._make()
        with self._database.writing() as connection:
            change = decide(self._state(connection))
            if change is not None:
                _write(connection, change)
        if change is not None and change.dropped:
            self._empty_log()

    def _switch(self, on: bool) -> None:
        self._make()
        with self._database.writing() as connection:
            connection.execute("DELETE FROM switch")
            if not on:
                connection.execute("INSERT INTO switch VALUES (1)")

    def _forget(self, memory_ids: Collection[str]) -> None:
        with self._database.writing() as connection:
            for context in self._state(connection).contexts:
                left = without(context.lessons, memory_ids)
                if left == context.lessons:
                    continue
                change = (
                    LearningChange(kept=[replace(context, lessons=left)])
                    if left.weights or left.hooks
                    else LearningChange(dropped=[context.context_id])
                )
                _write(connection, change)
        self._empty_log()

    def _clear(self) -> None:
        self._make()
        with self._database.writing() as connection:
            connection.execute("DELETE FROM contexts")
            connection.execute("DELETE FROM rounds")
        self._empty_log()

    def _empty_log(self) -> None:
        """What was overwritten stands in the write-ahead log until it is cut."""
        with self._database.creating() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _make(self) -> None:
        """Raises:
        SchemaVersionError: a newer secondhop wrote it.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._database.creating() as connection:
            if not self._is_made(connection):
                connection.executescript(_SCHEMA)

    def _state(self, connection: sqlite3.Connection) -> LearningState:
        if not self._is_made(connection):
            return LearningState()
        rounds = connection.execute("SELECT rounds, sessions FROM rounds ORDER BY rounds")
        return LearningState(
            on=_is_on(connection),
            contexts=self._contexts(connection, self._centres(connection)),
            rounds=dict(rounds.fetchall()),
        )

    def _is_made(self, connection: sqlite3.Connection) -> bool:
        """False: whoever began to make the file was killed, or is at it.

        Raises:
            SchemaVersionError: a newer secondhop wrote it.
        """
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise SchemaVersionError(found=version, known=VERSION, path=str(self.path))
        return bool(version == VERSION)

    def _centres(self, connection: sqlite3.Connection) -> list[ContextCentre]:
        """Where the contexts lie.

        Raises:
            CorruptStoreError: a vector cannot be read.
        """
        rows = connection.execute(
            "SELECT context_id, embedder_id, vector FROM contexts ORDER BY context_id"
        )
        try:
            return [
                ContextCentre(
                    context_id=context_id, embedder_id=embedder_id, vector=vector_of(stored)
                )
                for context_id, embedder_id, stored in rows
            ]
        except (ValueError, TypeError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> CorruptStoreError:
        return CorruptStoreError(f"{self.path} is damaged ({error!r}); {IF_DAMAGED}")

    def _contexts(
        self, connection: sqlite3.Connection, centres: Iterable[ContextCentre]
    ) -> list[LearnedContext]:
        """With their lessons.

        Raises:
            CorruptStoreError: they cannot be read.
        """
        contexts: list[LearnedContext] = []
        for centre in centres:
            (told,) = connection.execute(
                "SELECT lessons FROM contexts WHERE context_id = ?", (centre.context_id,)
            ).fetchone()
            try:
                lessons = lessons_of(json.loads(told))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise self._damaged(error) from error
            contexts.append(
                LearnedContext(
                    context_id=centre.context_id,
                    embedder_id=centre.embedder_id,
                    vector=centre.vector,
                    lessons=lessons,
                )
            )
        return contexts


def without(lessons: Lessons, memory_ids: Collection[str]) -> Lessons:
    """The lessons without a word of some memories."""
    return replace(
        lessons,
        weights={one: weight for one, weight in lessons.weights.items() if one not in memory_ids},
        pairs={
            pair: strength
            for pair, strength in lessons.pairs.items()
            if not set(pair) & set(memory_ids)
        },
        hooks=[
            hook
            for hook in lessons.hooks
            if hook.spark not in memory_ids and hook.leads_to not in memory_ids
        ],
    )


def document_of(lessons: Lessons) -> dict[str, Any]:
    """Plain values, as the file and an export hold them."""
    return {
        "at": lessons.at.isoformat(),
        "sessions": round(lessons.sessions, 4),
        "rounds": round(lessons.rounds, 4),
        "weights": {
            memory_id: [round(weight.good, 4), round(weight.bad, 4)]
            for memory_id, weight in sorted(lessons.weights.items())
        },
        "pairs": [
            [one, other, round(strength, 4)]
            for (one, other), strength in sorted(lessons.pairs.items())
        ],
        "hooks": [asdict(hook) for hook in lessons.hooks],
    }


def lessons_of(document: dict[str, Any]) -> Lessons:
    """What `document_of` made plain.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: these are no lessons.
    """
    at = datetime.fromisoformat(document["at"])
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone")
    return Lessons(
        at=at,
        sessions=summed(document["sessions"]),
        rounds=summed(document["rounds"]),
        weights={
            memory_id: Weight(good=summed(good), bad=summed(bad))
            for memory_id, (good, bad) in document["weights"].items()
        },
        pairs={(one, other): summed(strength) for one, other, strength in document["pairs"]},
        hooks=[hook_of(hook) for hook in document["hooks"]],
    )


def hook_of(document: dict[str, Any]) -> LearnedHook:
    """One hook of a `document_of`.

    Raises:
        ValueError, KeyError, TypeError: it is none.
    """
    return LearnedHook(
        spark=str(document["spark"]),
        leads_to=str(document["leads_to"]),
        wins=int(document["wins"]),
        misses=int(document["misses"]),
        retired=bool(document["retired"]),
    )


def summed(number: float) -> float:
    """A sum of votes: below 0 or without end, it would lift a memory beyond every bound.

    Raises:
        ValueError: it is no such sum.
    """
    if not 0 <= number < inf:
        raise ValueError(f"{number} is no sum of votes")
    return float(number)


def vector_of(stored: bytes) -> Vector:
    """The vector that these bytes are.

    Raises:
        ValueError, TypeError: they are none.
    """
    vector = np.frombuffer(stored, dtype="<f4").astype(np.float32)
    if not np.isfinite(vector).all():
        raise ValueError("a vector with numbers without end")
    return vector


def _is_on(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM switch").fetchone() is None


def _write(connection: sqlite3.Connection, change: LearningChange) -> None:
    connection.executemany(
        "DELETE FROM contexts WHERE context_id = ?", [(one,) for one in change.dropped]
    )
    connection.executemany(
        "INSERT OR REPLACE INTO contexts VALUES (?, ?, ?, ?)",
        [
            (
                context.context_id,
                context.embedder_id,
                context.vector.astype("<f4").tobytes(),
                json.dumps(document_of(context.lessons), separators=(",", ":")),
            )
            for context in change.kept
        ],
    )
    if change.rounds is not None:
        connection.execute(
            "INSERT INTO rounds VALUES (?, 1) "
            "ON CONFLICT (rounds) DO UPDATE SET sessions = sessions + 1",
            (change.rounds,),
        )
