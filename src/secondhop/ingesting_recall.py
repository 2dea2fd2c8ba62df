"""The part of `Recall` that stores what files hold, and memories that are built already."""

from pathlib import Path

from secondhop.assembly import Embedders
from secondhop.blocking import blocking
from secondhop.ingest.ledger import IngestLedger
from secondhop.ingest.pipeline import ingest
from secondhop.ingest.run import IngestProgress
from secondhop.ingest.settings import IngestSettings
from secondhop.memories.service import MemoryService
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import StoreCounts
from secondhop.sync_door import SyncDoor


class StoresMemories:
    """Methods of `Recall`: memories in, many at a time."""

    _door: SyncDoor
    _store: EntityStore
    _embedders: Embedders
    memories: MemoryService

    async def aingest(
        self,
        *paths: str | Path,
        format: str | None = None,
        progress: IngestProgress | None = None,
        dry_run: bool = False,
    ) -> IngestLedger:
        """Store what files and folders hold; unchanged memories cost nothing, gone ones go.

        With a memory goes what was counted and learned of it. What a memory said before its file
        was changed is kept, unless the new text begins with it; see `ahistory`.

        Args:
            dry_run: only tell what would be stored and deleted (`IngestLedger.plan`); nothing is
                embedded or written.

        Raises:
            IngestError: a path does not exist, or nothing of it could be stored.
            StoreFullError: no space is left; of a store that was to begin, nothing is made.
        """
        if not dry_run:
            await self._store.expect_room()
        ledger = await ingest(
            paths,
            writer=self._store,
            embedder=self._embedders.entity,
            settings=IngestSettings(format=format),
            progress=progress,
            dry_run=dry_run,
            leaving=self.memories.writing.unlearn,
        )
        if not dry_run:
            await self._store.refresh_topics()
        return ledger

    ingest = blocking(aingest)

    async def acounts(self) -> StoreCounts:
        """What is stored for the entity."""
        return await self._store.counts()
