"""`recall.admin`: examine, export, import and back up the whole memory of one entity."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from secondhop.blocking import blocking
from secondhop.errors import UsageError
from secondhop.ingest.run import IngestProgress
from secondhop.memories.backup import BackedUp, back_up
from secondhop.memories.doctor import Examination, Examined, examine
from secondhop.memories.export import FRAME, Imported, exported, imported
from secondhop.memories.export_file import read_lines, write_lines
from secondhop.memories.writing import MemoryWriting
from secondhop.stores.learning import LearningStore
from secondhop.sync_door import SyncDoor


class Maintenance:
    """Looks after a whole memory. Every method has an async form, whose name begins with "a"."""

    def __init__(
        self,
        writing: MemoryWriting,
        *,
        folder: Path,
        learned: LearningStore,
        door: SyncDoor | None = None,
    ) -> None:
        """Take the parts as they are; `folder` is that of the store."""
        self._writing, self._folder = writing, folder
        self._learned = learned
        self._door = door or SyncDoor()

    async def aexamine(
        self, *, fix: bool = False, progress: IngestProgress | None = None
    ) -> Examination:
        """Compare the entity's files with one another, and look for doubtful memories.

        Args:
            fix: mend what needs no decision: vectors that are missing or too many, the word index,
                lost links, what was learned of memories that are gone.
            progress: called with the number of passages that a fix has embedded ("embed").
        """
        given = Examined(
            store=self._writing.store,
            embedder=self._writing.embedder,
            counters=self._writing.counters,
            learned=self._learned,
            now=self._writing.clock(),
            fix=fix,
            progress=progress,
        )
        return await examine(given)

    examine = blocking(aexamine)

    def aexport(self) -> AsyncIterator[str]:
        """The whole memory as lines of JSON, without line ends; see docs/memories.md."""
        return exported(self._writing.store, self._writing.counters)

    async def aexport_to(self, path: str | Path) -> int:
        """Write the export to a file, whole or not at all; the number of memories.

        Raises:
            UsageError: the path is a folder, or its folder does not exist.
            StoreError: the file cannot be written.
        """
        lines = [line async for line in self.aexport()]
        await asyncio.to_thread(write_lines, Path(path), lines)
        return len(lines) - FRAME

    export_to = blocking(aexport_to)

    async def aimport(
        self,
        lines: Iterable[str],
        *,
        progress: IngestProgress | None = None,
        dry_run: bool = False,
    ) -> Imported:
        """Store what an export holds; what is stored already stays as it is.

        Args:
            dry_run: only compare; nothing is embedded or stored.

        Raises:
            UsageError: it is not an export, not all of one, or a line cannot be read; nothing was
                stored.
        """
        return await imported(
            lines,
            store=self._writing.store,
            embedder=self._writing.embedder,
            counters=self._writing.counters,
            progress=progress,
            dry_run=dry_run,
        )

    async def aimport_from(
        self,
        path: str | Path,
        *,
        progress: IngestProgress | None = None,
        dry_run: bool = False,
    ) -> Imported:
        """As `aimport`, of the lines of a file."""
        lines = await asyncio.to_thread(read_lines, Path(path))
        try:
            return await self.aimport(lines, progress=progress, dry_run=dry_run)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error

    import_from = blocking(aimport_from)

    async def abackup(self, folder: str | Path) -> BackedUp:
        """Copy the catalogs of all entities of the store while it is in use.

        The copy is a store once `secondhop reindex` has made its vectors.

        Raises:
            UsageError: the folder is not empty.
        """
        return await back_up(self._folder, Path(folder))

    backup = blocking(abackup)
