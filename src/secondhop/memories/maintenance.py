"""`recall.admin`: examines, exports, imports and copies all memories of an entity."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from secondhop.errors import UsageError
from secondhop.graph.trace import RecallTrace
from secondhop.ingest.run import IngestProgress
from secondhop.memories.copying import Copied, copied
from secondhop.memories.doctor import Examination, Examined, examine
from secondhop.memories.export import FRAME, Imported, exported, imported
from secondhop.memories.export_file import read_lines, write_lines
from secondhop.memories.other_formats import OtherFormat, in_format
from secondhop.memories.writing import MemoryWriting
from secondhop.nodes.config import Config
from secondhop.nodes.services import Services
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.store_directory import StoreDirectory
from secondhop.sync import BackgroundLoop, blocking
from secondhop.traces import TraceFolder


class Maintenance:
    """Looks after the store of an entity.

    Every method has an async form, whose name begins with "a".
    """

    def __init__(
        self,
        writing: MemoryWriting,
        *,
        home: StoreDirectory,
        services: Services,
        traces: TraceFolder,
        warm: Callable[[Callable[[int, int], None] | None], Awaitable[None]],
        loop: BackgroundLoop,
    ) -> None:
        """`home` is the store that the entity is in."""
        self._writing, self._home = writing, home
        self._services, self._traces, self._warm = services, traces, warm
        self._loop = loop

    @property
    def services(self) -> Services:
        """Models, store and settings, for a graph of your own over the same memories."""
        return self._services

    @property
    def store(self) -> EntityStore:
        """The entity's store, for searches of your own."""
        return self._writing.store

    @property
    def config(self) -> Config:
        """Limits and ranking in force."""
        return self._services.settings

    async def awarm(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Load the embedding model and embed the playbooks now instead of at the first question.

        Takes a few seconds once per machine (the playbooks' vectors are cached for the user), then
        a fraction of a second. Does not count against a recall's deadline.

        Args:
            progress: called with (done, total).
        """
        await self._warm(progress)

    warm = blocking(awarm)

    def last_traces(self, limit: int = 20) -> list[RecallTrace]:
        """The traces of the last recalls, newest first."""
        return self._traces.newest(limit)

    async def adoctor(
        self, *, fix: bool = False, progress: IngestProgress | None = None
    ) -> Examination:
        """Compare the entity's files with one another, and look for doubtful memories.

        Args:
            fix: repair what needs no decision: missing and surplus vectors, and counters of deleted
                memories.
            progress: called with the number of passages that a fix has embedded ("embed").
        """
        given = Examined(
            store=self._writing.store,
            embedder=self._writing.embedder,
            counters=self._writing.counters,
            now=self._writing.clock(),
            fix=fix,
            progress=progress,
        )
        return await examine(given)

    doctor = blocking(adoctor)

    def aexport(self) -> AsyncIterator[str]:
        """All memories as lines of JSON, without line ends; see docs/memories.md."""
        return exported(self._writing.store, self._writing.counters)

    async def aexport_to(self, path: str | Path) -> int:
        """Write the export to a file, completely or not at all; returns the number of memories.

        Raises:
            UsageError: the path is a folder, or its folder does not exist.
            StoreError: the file cannot be written.
        """
        lines = [line async for line in self.aexport()]
        await asyncio.to_thread(write_lines, Path(path), lines)
        return len(lines) - FRAME

    export_to = blocking(aexport_to)

    async def aexport_as(self, format: OtherFormat) -> Any:
        """What is true now, as JSON values that mem0 or LangMem read; see docs/adopt.md.

        Cues and histories are not in it; `export` has everything.
        """
        now = self._writing.clock()
        return await in_format(format, self._writing.store, now=now)

    export_as = blocking(aexport_as)

    async def aimport(
        self,
        lines: Iterable[str],
        *,
        progress: IngestProgress | None = None,
        dry_run: bool = False,
    ) -> Imported:
        """Store the memories of an export; memories already stored stay as they are.

        Args:
            progress: called with ("store", memories done, memories in all).
            dry_run: only compare; nothing is embedded or stored.

        Raises:
            UsageError: it is not an export, or incomplete, or a line cannot be read; nothing was
                stored.
        """
        return await imported(
            lines,
            writing=self._writing,
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
        """As `aimport`, from a file."""
        lines = await asyncio.to_thread(read_lines, Path(path))
        try:
            return await self.aimport(lines, progress=progress, dry_run=dry_run)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error

    import_from = blocking(aimport_from)

    async def acopy(
        self,
        to: str | Path,
        *,
        chroma_url: str | None = None,
        entities: str | Sequence[str] | None = None,
    ) -> Copied:
        """Copy the entity into another store, even while it is in use.

        Copies vectors, counters, what was learned, open sessions and traces, too, and compares the
        copy. After an interruption, run it again.

        Args:
            to: a folder, or postgresql://USER@HOST/DATABASE.
            chroma_url: the Chroma server for the copy's vectors.
            entities: others of the same store instead; "*" for all of them.

        Raises:
            UsageError: `entities` is empty, or the copy would be in the store itself.
            UnknownEntityError: nothing is stored for one of them; nothing was copied.
            StoreError: the target has a different memory of such an entity, or vectors are missing.
        """
        wanted = self._services.entity if entities is None else entities
        chosen = [wanted] if isinstance(wanted, str) else wanted
        return await copied(
            self._home,
            to,
            chroma_url=chroma_url,
            entities=None if wanted == "*" else chosen,
        )

    copy = blocking(acopy)
