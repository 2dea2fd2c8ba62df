"""What `StoreDirectory` needs of a store's place: a folder, or a PostgreSQL database."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

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
    """Opens what belongs to one entity; methods block."""

    @property
    def name(self) -> str:
        """What messages call the store, and what `--store` takes; no password is in it."""
        ...

    @property
    def folder(self) -> Path:
        """Where files of the store are: all of it, or what can be made again."""
        ...

    @property
    def annotating(self) -> "AnnotationRows | None":
        """Which entities wait for cues; None: each process annotates what it wrote."""
        ...

    @property
    def server(self) -> str | None:
        """The Chroma server that holds its vectors, if one does."""
        ...

    def catalog(self, entity: str) -> Catalog:
        """The catalog of an entity; close it in the end."""
        ...

    def counters(self, entity: str) -> CounterStore:
        """How often its memories were of use."""
        ...

    def sessions(self, entity: str) -> DatabaseSessions:
        """Its recalls that wait for votes."""
        ...

    def traces(self, entity: str) -> TraceFiles:
        """The traces of its recalls."""
        ...

    def lock(self, entity: str) -> Lock:
        """Held by who writes to the entity."""
        ...

    def vectors(self, identity: Identity, *, ending: str = "") -> VectorIndex:
        """The vectors of an entity's present generation; `ending` names other ones of it."""
        ...

    def identities(self, *, filled: bool = False) -> list[Identity]:
        """Of the entities that are stored, by name; `filled`: of those with a memory."""
        ...

    def manifest(self) -> Manifest | None:
        """Which store this is; None before the first put."""
        ...

    def found(self, wanted: Identity) -> Manifest:
        """Make ready for an entity's first put; the manifest there is, or a new one."""
        ...

    def replace_manifest(self, manifest: Manifest) -> None:
        """Exchange it."""
        ...

    def holds(self, entity: str) -> bool:
        """Whether anything is kept of the entity."""
        ...

    def is_in_use(self, entity: str) -> bool:
        """Whether another process, or another part of this one, has the entity open, as far as can
        be told."""
        ...

    def erase(self, entity: str) -> None:
        """Delete what is kept of the entity, but for its vectors."""
        ...

    def check_vectors(self) -> None:
        """Raise CorruptStoreError where the vectors cannot be read at all."""
        ...

    def delete_vectors(self) -> bool:
        """Delete those of all entities, which cannot be read; False where that is not ours."""
        ...

    def close(self) -> None:
        """Close what is open, unless another part of this process uses it."""
        ...
