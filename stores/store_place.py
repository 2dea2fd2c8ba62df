"""The protocol of a store's place, which is a folder or a PostgreSQL database."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from secondhop.errors import StoreUnavailableError
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.counters import CounterStore
from secondhop.stores.locks import Lock
from secondhop.stores.manifest import Manifest
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.sessions_database import DatabaseSessions
from secondhop.stores.trace_files import TraceFiles

if TYPE_CHECKING:  # psycopg is optional
    from secondhop.stores.postgres.annotation_rows import AnnotationRows


class StorePlace(Protocol):
    """Opens the parts of an entity for `StoreDirectory`. Methods block."""

    @property
    def name(self) -> str:
        """The store's name in messages and for `--store`, without a password."""
        ...

    @property
    def folder(self) -> Path:
        """The folder of the store's files: the whole store, or only files that can be made
        again."""
        ...

    @property
    def annotating(self) -> "AnnotationRows | None":
        """The entities that wait for cues; None if each process annotates what it wrote."""
        ...

    @property
    def server(self) -> str | None:
        """The address of the Chroma server that holds its vectors, if one does."""
        ...

    def catalog(self, entity: str) -> Catalog:
        """The catalog of an entity. The caller closes it."""
        ...

    def counters(self, entity: str) -> CounterStore:
        """The counters of its memories."""
        ...

    def sessions(self, entity: str) -> DatabaseSessions:
        """Its open sessions: recalls that wait for votes."""
        ...

    def traces(self, entity: str) -> TraceFiles:
        """The traces of its recalls."""
        ...

    def lock(self, entity: str) -> Lock:
        """The lock to hold while writing to the entity."""
        ...

    def vectors(self, identity: Identity, *, ending: str = "") -> VectorIndex:
        """The vectors of `identity.generation`: of passages, or of cues with `ending=".cues"`."""
        ...

    def catalogs(self) -> Iterable[Catalog]:
        """The catalogs of all entities, also of those that were never finished. The caller closes
        them."""
        ...

    def manifest(self) -> Manifest | None:
        """The store's manifest; None before the first put."""
        ...

    def found(self, wanted: Identity) -> Manifest:
        """Prepare for an entity's first put. Returns the existing manifest, or a new one."""
        ...

    def replace_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest."""
        ...

    def is_there(self) -> bool:
        """Whether the store's files exist; always True for a database, whose queries fail."""
        ...

    def holds(self, entity: str) -> bool:
        """Whether anything of the entity is stored."""
        ...

    def is_in_use(self, entity: str) -> bool:
        """Whether the entity is in use elsewhere, in this process or another, as far as can be
        told."""
        ...

    def erase(self, entity: str) -> None:
        """Delete everything of the entity except its vectors."""
        ...

    def finish_erasing(self) -> None:
        """Delete what an `erase` that was killed has left."""
        ...

    def check_vectors(self) -> None:
        """Raise CorruptStoreError if the vectors cannot be read at all."""
        ...

    def delete_vectors(self) -> bool:
        """Delete the unreadable vectors of all entities; False if a server keeps them."""
        ...

    def close(self) -> None:
        """Close what is open, unless another part of this process still uses it."""
        ...


def store_gone_error(store: str) -> StoreUnavailableError:
    """The error for an open store that is not there any more."""
    return StoreUnavailableError(
        f"the store {store} is gone: its folder was deleted or moved while it was open; put it "
        f"back, or start again to begin with an empty store"
    )
