"""The part of `Recall` that offers the methods of `recall.admin` under their old names."""

from contextlib import closing
from functools import partial
from pathlib import Path

from secondhop.delegating import offered
from secondhop.memories.delete_entity import DeletedEntity, delete_entity
from secondhop.memories.maintenance import Maintenance
from secondhop.stores.sessions import SessionStore
from secondhop.sync_door import SyncDoor

HOME = "admin"


class CaresForMemories:
    """Methods of `Recall`; each has an async form."""

    admin: Maintenance

    aexamine = offered(Maintenance.aexamine, by=HOME)
    examine = offered(Maintenance.examine, by=HOME)
    aexport = offered(Maintenance.aexport, by=HOME)
    aexport_to = offered(Maintenance.aexport_to, by=HOME)
    export_to = offered(Maintenance.export_to, by=HOME)
    aimport = offered(Maintenance.aimport, by=HOME)
    aimport_from = offered(Maintenance.aimport_from, by=HOME)
    import_from = offered(Maintenance.import_from, by=HOME)
    abackup = offered(Maintenance.abackup, by=HOME)
    backup = offered(Maintenance.backup, by=HOME)

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
            StoreError: it is open, or its vectors are on a server that is not named; nothing was
                deleted.
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
