"""The part of `Recall` that looks after a whole memory: examine, export, import, back up."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

from secondhop.errors import UsageError
from secondhop.ingest.run import IngestProgress
from secondhop.memories.backup import BackedUp, back_up
from secondhop.memories.deleting import DeletedEntity, delete_entity
from secondhop.memories.doctor import Doctor, Examination
from secondhop.memories.export_file import read_export, write_export
from secondhop.memories.exporting import FRAME, Imported, exported, imported
from secondhop.memories.service import Keeper
from secondhop.stores.home import StoreHome
from secondhop.stores.learning import LearningStore
from secondhop.stores.sessions import SessionStore
from secondhop.sync_door import SyncDoor


class CaresForMemories:
    """Methods of `Recall`; each has an async form."""

    _keeper: Keeper
    _door: SyncDoor
    _home: StoreHome
    _learned: LearningStore

    async def aexamine(
        self,
        *,
        fix: bool = False,
        every_vector: bool = False,
        progress: IngestProgress | None = None,
    ) -> Examination:
        """Hold the entity's files against one another, and look for doubtful memories.

        Args:
            fix: mend what needs no decision: vectors that are missing or too many, the word index,
                lost links, what was learned of memories that are gone.
            every_vector: embed all passages again to see whether their vectors fit, not a sample.
            progress: hears how many passages are embedded ("embed").
        """
        keeper = self._keeper
        doctor = Doctor(
            store=keeper.store,
            embedder=keeper.embedder,
            counters=keeper.counters,
            learned=self._learned,
            now=keeper.clock(),
            caches=keeper.caches,
            progress=progress,
        )
        return await doctor.examine(fix=fix, every_vector=every_vector)

    def aexport(self) -> AsyncIterator[str]:
        """The whole memory as lines of JSON, without line ends; see docs/memories.md."""
        return exported(self._keeper.store, self._keeper.counters)

    async def aimport(
        self,
        lines: Iterable[str],
        *,
        progress: IngestProgress | None = None,
        dry_run: bool = False,
    ) -> Imported:
        """Store what an export holds; what is stored already stays as it is.

        Args:
            dry_run: only tell what would be stored; nothing is embedded or written.

        Raises:
            UsageError: not an export, not all of one, or a line that cannot be read.
        """
        keeper = self._keeper
        return await imported(
            lines,
            store=keeper.store,
            embedder=keeper.embedder,
            counters=keeper.counters,
            progress=progress,
            dry_run=dry_run,
        )

    async def abackup(self, folder: str | Path) -> BackedUp:
        """Copy the catalogs of all entities of the store while it is in use.

        The copy is a store once `secondhop reindex` has made its vectors.

        Raises:
            UsageError: the folder is not empty.
        """
        return await back_up(self._home.path, Path(folder))

    def examine(
        self,
        *,
        fix: bool = False,
        every_vector: bool = False,
        progress: IngestProgress | None = None,
    ) -> Examination:
        """As `aexamine`, for callers without an event loop."""
        return self._door.call(
            partial(self.aexamine, fix=fix, every_vector=every_vector, progress=progress)
        )

    def export_to(self, path: str | Path) -> int:
        """Write the export to a file; the number of memories. For callers without an event loop."""
        return self._door.call(partial(self.aexport_to, path))

    async def aexport_to(self, path: str | Path) -> int:
        """Write the export to a file, whole or not at all; the number of memories.

        Raises:
            UsageError: the path is a folder, or in none.
            StoreError: the file cannot be written.
        """
        lines = [line async for line in self.aexport()]
        await asyncio.to_thread(write_export, Path(path), lines)
        return len(lines) - FRAME

    def import_from(
        self,
        path: str | Path,
        *,
        progress: IngestProgress | None = None,
        dry_run: bool = False,
    ) -> Imported:
        """As `aimport` of a file's lines, for callers without an event loop."""
        return self._door.call(partial(self.aimport_from, path, progress=progress, dry_run=dry_run))

    async def aimport_from(
        self,
        path: str | Path,
        *,
        progress: IngestProgress | None = None,
        dry_run: bool = False,
    ) -> Imported:
        """As `aimport`, of a file's lines."""
        lines = await asyncio.to_thread(read_export, Path(path))
        try:
            return await self.aimport(lines, progress=progress, dry_run=dry_run)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error

    @staticmethod
    async def adelete_entity(
        path: str | Path,
        entity: str,
        *,
        chroma_url: str | None = None,
        sessions: str | SessionStore | None = None,
        dry_run: bool = False,
    ) -> DeletedEntity:
        """Delete everything that the store at `path` keeps of an entity; it cannot be undone.

        Catalog, vectors, counters, what was learned, sessions, traces, caches. Not what a backup,
        an export, a `caches` folder elsewhere or a checkpointer of yours holds.

        Args:
            chroma_url: the server that its vectors are on.
            sessions: where its open sessions are, if not in its folder: those that know one of its
                memories are abandoned.
            dry_run: only tell what would go.

        Raises:
            UnknownEntityError: the store keeps nothing of it.
            StoreError: somebody has it open, or writes to it, or its vectors are elsewhere (on a
                server that is not named); nothing was deleted.
        """
        return await delete_entity(
            Path(path), entity, chroma_url=chroma_url, sessions=sessions, dry_run=dry_run
        )

    @staticmethod
    def delete_entity(
        path: str | Path,
        entity: str,
        *,
        chroma_url: str | None = None,
        sessions: str | SessionStore | None = None,
        dry_run: bool = False,
    ) -> DeletedEntity:
        """As `adelete_entity`, for callers without an event loop."""
        work = partial(
            CaresForMemories.adelete_entity,
            path,
            entity,
            chroma_url=chroma_url,
            sessions=sessions,
            dry_run=dry_run,
        )
        with closing(SyncDoor()) as door:
            return door.call(work)

    def backup(self, folder: str | Path) -> BackedUp:
        """As `abackup`, for callers without an event loop."""
        return self._door.call(partial(self.abackup, folder))
