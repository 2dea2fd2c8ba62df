"""A store in a folder of files.

store.json                   which embedding model, which store
entities/<name>-<hash>/      catalog.db: the truth about one entity
chroma/                      vectors of all entities, rebuilt from the catalogs by `reindex`
locks/                       empty files that processes lock
deleted-<random>/            what is being deleted, out of the reach of those who have it open
"""

import shutil
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from uuid import uuid4

from secondhop.errors import StoreError
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.counters import CounterStore
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.locks import WriterLock
from secondhop.stores.manifest import Manifest, create_manifest, read_manifest, replace_manifest
from secondhop.stores.sessions_database import DatabaseSessions
from secondhop.stores.shared import Shared
from secondhop.stores.sqlite import is_open_elsewhere
from secondhop.stores.store_place import store_gone_error
from secondhop.stores.trace_files import TraceFilesInFolder
from secondhop.stores.vectors.chroma import ChromaVectors, CollectionNames
from secondhop.stores.vectors.chroma_client import ChromaClient
from secondhop.stores.vectors.chroma_database import check_database
from secondhop.stores.vectors.chroma_folder import ChromaFolder
from secondhop.stores.vectors.chroma_server import ChromaServer

SESSIONS_FILE = "sessions.db"
"""In the entity's folder, beside its traces. It is not in the catalog, because open sessions write
nothing there."""


_clients: Shared[ChromaFolder] = Shared()

_DELETED = "deleted-"
"""How the name of a folder begins that is being deleted."""


class FolderPlace:
    """A `StorePlace` in a folder, with Chroma inside it or on a server."""

    def __init__(self, folder: Path, *, chroma_url: str | None) -> None:
        """Creates nothing. Raises StoreError if there can be no folder at this path."""
        for place in (folder, *folder.parents):
            if _is_file(place):
                raise StoreError(
                    f"the store cannot be in {folder}: {place} is a file; name a folder "
                    f"(--store DIR)"
                )
        self.name, self.folder, self.server = str(folder), folder, chroma_url
        self._names = CollectionNames(self.manifest)
        self._chroma: ChromaClient = (
            ChromaServer(chroma_url, store=str(folder))
            if chroma_url
            else _clients.of(folder.resolve(), partial(_client, folder.absolute()), user=self)
        )

    annotating = None

    def catalog(self, entity: str) -> Catalog:
        """See `StorePlace`."""
        return Catalog(self._own(entity) / "catalog.db", expect_store=self._expect_store)

    def counters(self, entity: str) -> CounterStore:
        """See `StorePlace`."""
        return CounterStore(self._own(entity) / "counters.db", makes_folder=False)

    def sessions(self, entity: str) -> DatabaseSessions:
        """See `StorePlace`."""
        return DatabaseSessions(self._own(entity) / SESSIONS_FILE, makes_folder=False)

    def traces(self, entity: str) -> TraceFilesInFolder:
        """See `StorePlace`."""
        return TraceFilesInFolder(self._own(entity) / "traces", makes_parents=False)

    def lock(self, entity: str) -> WriterLock:
        """See `StorePlace`."""
        return WriterLock(self.folder / "locks" / f"{entity_slug(entity)}.writer")

    def vectors(self, identity: Identity, *, ending: str = "") -> ChromaVectors:
        """See `StorePlace`."""
        name = self._names.of(identity, ending=ending)
        return ChromaVectors(self._chroma, name=name, dimension=identity.dimension)

    def catalogs(self) -> Iterable[Catalog]:
        """See `StorePlace`."""
        return map(Catalog, (self.folder / "entities").glob("*/catalog.db"))

    def manifest(self) -> Manifest | None:
        """See `StorePlace`."""
        return read_manifest(self._manifest_path)

    def found(self, wanted: Identity) -> Manifest:
        """See `StorePlace`."""
        return self.manifest() or create_manifest(
            self._manifest_path, embedder_id=wanted.embedder_id, dimension=wanted.dimension
        )

    def replace_manifest(self, manifest: Manifest) -> None:
        """See `StorePlace`."""
        replace_manifest(self._manifest_path, manifest)

    def is_there(self) -> bool:
        """See `StorePlace`."""
        return _is_file(self._manifest_path)

    def _expect_store(self) -> None:
        if not self.is_there():
            raise store_gone_error(self.name)

    def holds(self, entity: str) -> bool:
        """See `StorePlace`."""
        return self._own(entity).exists()

    def is_in_use(self, entity: str) -> bool:
        """See `StorePlace`."""
        return is_open_elsewhere(self._own(entity) / "catalog.db")

    def erase(self, entity: str) -> None:
        """See `StorePlace`."""
        self.finish_erasing()
        own, deleted = self._own(entity), self.folder / f"{_DELETED}{uuid4().hex}"
        if own.exists():
            # at once: what others read or write after this is not half deleted, and not this
            own.rename(deleted)
            _remove(deleted)

    def finish_erasing(self) -> None:
        """See `StorePlace`."""
        for left in self.folder.glob(f"{_DELETED}*"):
            _remove(left)

    def check_vectors(self) -> None:
        """See `StorePlace`."""
        if not self.server:
            check_database(self.folder / "chroma")

    def delete_vectors(self) -> bool:
        """See `StorePlace`."""
        if self.server:
            return False
        self._chroma.close()
        shutil.rmtree(self.folder / "chroma")
        return True

    def close(self) -> None:
        """See `StorePlace`."""
        if self.server:
            self._chroma.close()
        else:
            _clients.leave(self)

    def _own(self, entity: str) -> Path:
        return self.folder / "entities" / entity_slug(entity)

    @property
    def _manifest_path(self) -> Path:
        return self.folder / "store.json"


def _remove(folder: Path) -> None:
    """Delete a folder that another process may be deleting, too."""
    shutil.rmtree(folder, onerror=_unless_gone)


def _unless_gone(_: object, path: str, failure: tuple[object, BaseException, object]) -> None:
    if not isinstance(failure[1], FileNotFoundError):
        raise failure[1]


def _client(folder: Path) -> ChromaFolder:
    return ChromaFolder(folder / "chroma", locks=folder / "locks")


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except PermissionError as error:
        raise StoreError(
            f"{place} cannot be accessed ({error.strerror}); get permission to open its folder, "
            f"or name another one for the store (--store DIR)"
        ) from error
