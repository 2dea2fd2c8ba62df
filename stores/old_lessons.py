"""Removes what version 0.1 learned: without the questions' words it cannot become cues."""

import asyncio
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from secondhop.stores.entity_store import EntityStore


async def drop_old_lessons(path: Path, store: EntityStore) -> None:
    """Delete the file; if it says that learning is off, learning stays off."""
    if await asyncio.to_thread(was_off, path):
        await store.let_learn(on=False)
    await asyncio.to_thread(_delete, path)


def was_off(path: Path) -> bool:
    """Whether the file says that learning is off; False if it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as lessons:
            return lessons.execute("SELECT 1 FROM switch").fetchone() is not None
    except sqlite3.Error:
        return False


def _delete(path: Path) -> None:
    with suppress(OSError):  # not there, or the store is read-only
        path.unlink()
