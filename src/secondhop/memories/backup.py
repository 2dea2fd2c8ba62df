"""Copies a store while it is in use, without vectors: `reindex` makes them from the text."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from secondhop.errors import StoreError, UsageError, said_by_system
from secondhop.graph.result import Frozen
from secondhop.stores.manifest import Manifest, create_manifest, intact_manifest
from secondhop.stores.store_address import is_address

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


async def back_up(store: str | Path, target: Path) -> BackedUp:
    """Copy every entity's catalog and counters, each as it is at one moment.

    Raises:
        UsageError: nothing is stored there, or the target is not empty.
        StoreError: a file cannot be read or written, or is of a newer secondhop.
    """
    if is_address(store):
        raise UsageError(
            "the store is in PostgreSQL: back it up with pg_dump --schema=secondhop, as "
            "docs/postgres.md tells"
        )
    return await asyncio.to_thread(_back_up, Path(store), target)


def _back_up(store: Path, target: Path) -> BackedUp:
    if not (store / "store.json").is_file():
        raise UsageError(f"no store is in {store}; name it with --store")
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file; a backup wants a folder of its own")
    if target.exists() and any(target.iterdir()):
        raise UsageError(f"{target} is not empty; a backup wants a folder of its own")
    manifest = intact_manifest(store / "store.json")
    copied: list[Path] = []
    entities = sorted((store / "entities").glob("*/catalog.db"))
    try:
        for catalog in entities:
            folder = target / "entities" / catalog.parent.name
            folder.mkdir(parents=True)
            for name in ("catalog.db", "counters.db"):
                if (catalog.parent / name).is_file():
                    _copy(catalog.parent / name, folder / name)
                    copied.append(folder / name)
        write_copy_manifest(store, target, manifest=manifest)  # last: now it is a store
    except (OSError, sqlite3.Error) as error:
        why = said_by_system(error)
        raise StoreError(f"the backup in {target} is not complete: {why}; delete it") from error
    return BackedUp(
        folder=str(target),
        entities=[catalog.parent.name for catalog in entities],
        bytes=sum(path.stat().st_size for path in copied),
        restore=f"secondhop reindex --store {target}",
    )


def write_copy_manifest(store: Path, target: Path, *, manifest: Manifest | None) -> None:
    """Give the copy a store id of its own.

    With one id on a Chroma server, a reindex of the copy, or deleting one of its entities, would
    take away the vectors of the store.

    Args:
        manifest: of the store; None: it is damaged, and copied as it is.
    """
    if manifest is None:
        shutil.copyfile(store / "store.json", target / "store.json")
    else:
        create_manifest(
            target / "store.json",
            embedder_id=manifest.embedder_id,
            dimension=manifest.dimension,
        )


def _copy(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new, pages=_PAGES, sleep=0.01)
