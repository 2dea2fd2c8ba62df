"""A copy of a store while it is in use. Vectors are left out: they are made anew from the text."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from secondhop.errors import StoreError, UsageError
from secondhop.graph.result import Frozen

_PAGES = 1_000
"""Copied at a time, so that writers get their turns."""


class BackedUp(Frozen):
    """What was copied."""

    folder: str
    entities: list[str]
    """Folder names."""
    bytes: int
    restore: str
    """The command that makes the copy a store again."""


async def back_up(store: Path, target: Path) -> BackedUp:
    """Copy every entity's catalog, counters and what was learned, each as it is at one moment.

    Raises:
        UsageError: nothing is stored there, or the target is not empty.
        StoreError: a file cannot be read or written.
    """
    return await asyncio.to_thread(_back_up, store, target)


def _back_up(store: Path, target: Path) -> BackedUp:
    if not (store / "store.json").is_file():
        raise UsageError(f"no store is in {store}; name it with --store")
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file; a backup wants a folder of its own")
    if target.exists() and any(target.iterdir()):
        raise UsageError(f"{target} is not empty; a backup wants a folder of its own")
    copied: list[Path] = []
    entities = sorted((store / "entities").glob("*/catalog.db"))
    try:
        for catalog in entities:
            folder = target / "entities" / catalog.parent.name
            folder.mkdir(parents=True)
            for name in ("catalog.db", "counters.db", "learning.db"):
                if (catalog.parent / name).is_file():
                    _copy(catalog.parent / name, folder / name)
                    copied.append(folder / name)
        shutil.copyfile(store / "store.json", target / "store.json")  # last: now it is a store
    except (OSError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise StoreError(f"the backup in {target} is not complete: {why}; delete it") from error
    return BackedUp(
        folder=str(target),
        entities=[catalog.parent.name for catalog in entities],
        bytes=sum(path.stat().st_size for path in copied),
        restore=f"secondhop reindex --store {target}",
    )


def _copy(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new, pages=_PAGES, sleep=0.01)
