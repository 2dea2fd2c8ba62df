"""The part of `Recall` that looks after a whole memory: examine, export, import, back up."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from functools import partial
from pathlib import Path

from secondhop.backup import BackedUp, back_up
from secondhop.doctor import Doctor, Examination
from secondhop.exporting import Imported, exported, imported
from secondhop.ingest.run import IngestProgress
from secondhop.keeper import Keeper
from secondhop.stores.home import StoreHome
from secondhop.sync_door import SyncDoor


class CaresForMemories:
    """Methods of `Recall`; each has an async form."""

    _keeper: Keeper
    _door: SyncDoor
    _home: StoreHome

    async def aexamine(self, *, fix: bool = False) -> Examination:
        """Hold catalog, vectors and word index against one another, and look for doubtful memories.

        Args:
            fix: mend what needs no decision: orphaned vectors, the word index, lost links.
        """
        keeper = self._keeper
        doctor = Doctor(store=keeper.store, embedder=keeper.embedder, now=keeper.clock())
        return await doctor.examine(fix=fix)

    def aexport(self) -> AsyncIterator[str]:
        """The whole memory as lines of JSON, without line ends; see docs/memories.md."""
        return exported(self._keeper.store, self._keeper.counters)

    async def aimport(
        self, lines: Iterable[str], *, progress: IngestProgress | None = None
    ) -> Imported:
        """Store what an export holds; what is stored already stays as it is.

        Raises:
            UsageError: not an export, or a line that cannot be read.
        """
        keeper = self._keeper
        return await imported(
            lines,
            store=keeper.store,
            embedder=keeper.embedder,
            counters=keeper.counters,
            progress=progress,
        )

    async def abackup(self, folder: str | Path) -> BackedUp:
        """Copy the catalogs of all entities of the store while it is in use.

        The copy is a store once `secondhop reindex` has made its vectors.

        Raises:
            UsageError: the folder is not empty.
        """
        return await back_up(self._home.path, Path(folder))

    def examine(self, *, fix: bool = False) -> Examination:
        """As `aexamine`, for callers without an event loop."""
        return self._door.call(partial(self.aexamine, fix=fix))

    def export_to(self, path: str | Path) -> int:
        """Write the export to a file; the number of memories. For callers without an event loop."""
        return self._door.call(partial(self.aexport_to, path))

    async def aexport_to(self, path: str | Path) -> int:
        """Write the export to a file; the number of memories."""
        lines = [line async for line in self.aexport()]
        text = "".join(f"{line}\n" for line in lines)
        await asyncio.to_thread(Path(path).write_text, text, encoding="ascii", newline="\n")
        return len(lines) - 1

    def import_from(self, path: str | Path, *, progress: IngestProgress | None = None) -> Imported:
        """As `aimport` of a file's lines, for callers without an event loop."""
        return self._door.call(partial(self.aimport_from, path, progress=progress))

    async def aimport_from(
        self, path: str | Path, *, progress: IngestProgress | None = None
    ) -> Imported:
        """As `aimport`, of a file's lines."""
        text = await asyncio.to_thread(Path(path).read_text, encoding="utf-8")
        return await self.aimport(text.split("\n"), progress=progress)

    def backup(self, folder: str | Path) -> BackedUp:
        """As `abackup`, for callers without an event loop."""
        return self._door.call(partial(self.abackup, folder))
