"""The catalog of one entity: its memories, passages and lexical index.

In SQLite it is one file; in PostgreSQL, rows that no other entity's handle can see. Neither word
weights nor speed depend on other entities. All methods but `aread` block; `EntityStore` calls them
from worker threads.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from secondhop.errors import CorruptStoreError, StoreError
from secondhop.stores.catalog import reads as catalog_reads
from secondhop.stores.catalog.analysis import analyzer_id
from secondhop.stores.catalog.cue_writes import drop_cues_of, store_given
from secondhop.stores.catalog.keeping import (
    Decision,
    KeepingView,
    drop_keeping,
    keep,
)
from secondhop.stores.catalog.known_rows import KnownRows
from secondhop.stores.catalog.migrations import MIGRATIONS
from secondhop.stores.catalog.notes import (
    add_drop,
    add_intent,
    count_change,
    count_stored,
    leave_erasing,
    read_meta,
    write_meta,
)
from secondhop.stores.catalog.quotes import clear_quotes
from secondhop.stores.catalog.versions import keep_replaced
from secondhop.stores.catalog.writes import (
    drop_memories,
    rebuild_lexicon,
    store_memories,
)
from secondhop.stores.database import Connection, Database
from secondhop.stores.locks import to_its_end
from secondhop.stores.records import (
    EmbeddedMemory,
    StoreCounts,
)
from secondhop.stores.sqlite import SqliteDatabase, in_memory

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Whose catalog this is, and which vectors belong to it."""

    entity: str
    embedder_id: str
    dimension: int
    generation: int = 1
    """Which of the entity's collections holds its vectors; a reindex fills the next one."""
    server: str | None = field(default=None, compare=False)
    """Address of the Chroma server that they are on; "": they are in the store's folder; None:
    unknown, because an older secondhop wrote the catalog."""


class Catalog:
    """What is stored for one entity. A file that does not exist yet reads as an empty store."""

    def __init__(self, place: Path | Database) -> None:
        """`place`: a SQLite file, or another database."""
        self._database: Database = (
            SqliteDatabase(place, steps=MIGRATIONS) if isinstance(place, Path) else place
        )
        self._ready = False
        self.known = KnownRows(self.read, stamp=self._database.stamp)

    @property
    def database(self) -> Database:
        """Where its rows are."""
        return self._database

    def exists(self) -> bool:
        """Whether anything was ever stored; False too for a file whose creation was cut short."""
        if not self._database.exists():
            self._ready = False
            return False
        if self._ready:
            return True
        with self._database.reading() as connection:
            found = self._database.version(connection)
            is_made = bool(found) and bool(read_meta(connection))
        self._ready = is_made and found == self._database.newest
        return is_made

    def needs_upgrade(self) -> bool:
        """Whether the schema or the analyzer that wrote the lexical index is an older one."""
        with self._database.reading() as connection:
            old_schema = self._database.version(connection) < self._database.newest
            return old_schema or read_meta(connection).get("analyzer") != analyzer_id()

    def upgrade(self) -> None:
        """Bring what exists to this schema and analyzer; needs the writer's lock."""
        self._database.migrate()
        with self._database.reading() as connection:
            outdated = read_meta(connection).get("analyzer") != analyzer_id()
        if outdated:
            self.write(rebuild_lexicon)
        self._ready = True

    def create(self, identity: Identity) -> None:
        """Make the tables; its owner must hold the writer's lock."""
        self._database.migrate()
        self.adopt(identity)
        self._ready = True

    def identity(self) -> Identity:
        """Who this catalog belongs to.

        Raises:
            CorruptStoreError: the file does not say.
            StoreError: another process has deleted the entity.
        """
        with self._database.reading() as connection:
            meta = read_meta(connection)
        if not meta:
            raise StoreError(
                f"nothing is left of the entity in {self._database.name}: it was deleted since it "
                f"was opened; open it again"
            )
        try:
            return Identity(
                entity=json.loads(meta["entity"]),
                embedder_id=meta["embedder_id"],
                dimension=int(meta["dimension"]),
                generation=int(meta["generation"]),
                server=meta.get("server"),
            )
        except (KeyError, ValueError) as error:
            raise CorruptStoreError(
                f"{self._database.name} does not say whose memory it is ({error!r}); put a backup "
                f"in place"
            ) from error

    def adopt(self, identity: Identity) -> None:
        """Write the identity, at creation or when a reindex is finished."""
        with self._database.writing() as connection:
            values = {
                "entity": json.dumps(identity.entity),
                "embedder_id": identity.embedder_id,
                "dimension": str(identity.dimension),
                "generation": str(identity.generation),
            }
            if identity.server is not None:
                values["server"] = identity.server
            if "analyzer" not in read_meta(connection):
                values["analyzer"] = analyzer_id()
            write_meta(connection, values)

    # --- writing: an intent first, then the vectors, then everything else at once ---

    def intend(self, passage_ids: Sequence[str], cue_ids: Sequence[str] = ()) -> int:
        """Note that vectors of these passages and cues are about to be put; the note's number.

        A power cut may lose it: vectors that the catalog does not know go at the next start.
        """
        with self._database.writing(durable=False) as connection:
            return add_intent(connection, "put", passage_ids, cue_ids)

    def store(
        self,
        memories: Sequence[EmbeddedMemory],
        *,
        intent: int,
        at: datetime,
        decide: Decision | None = None,
    ) -> int | None:
        """Store memories whose vectors are in the index; texts that they replace become earlier
        ones (`versions.py`).

        The intent becomes a 'drop' of the vectors that replaced texts leave behind; its number, or
        None when nothing is left behind.

        Args:
            at: now.
            decide: what else changes with them; it sees the catalog without them.
        """
        with self._database.writing() as connection:
            changes = decide(KeepingView(connection)) if decide else ()
            own, ids = [m.memory for m in memories], [m.memory.memory_id for m in memories]
            keep_replaced(connection, own, at=at)
            stale = drop_memories(connection, ids)
            store_memories(connection, memories)
            leave_erasing(connection, ids)
            stale -= {p.passage_id for m in memories for p in m.passages}
            gone = store_given(connection, own, at=at)
            keep(connection, changes)
            count_stored(connection, len(memories))
            return self._settled(connection, intent, passage_ids=stale, cue_ids=gone)

    def change_cues(
        self, write: Callable[[Connection], set[str]], *, intent: int | None = None
    ) -> int | None:
        """Change cues; `write` returns the ids of those that are gone. As `store`."""
        with self._database.writing() as connection:
            gone = write(connection)
            return self._settled(connection, intent, passage_ids=(), cue_ids=gone)

    def remove(self, memory_ids: Sequence[str]) -> tuple[int, int | None]:
        """(how many of them existed, number of the 'drop' for their vectors)."""
        with self._database.writing() as connection:
            existing = catalog_reads.stored(connection, memory_ids)
            if not existing:
                return 0, None
            clear_quotes(connection, existing)
            stale = drop_memories(connection, existing)
            drop_keeping(connection, existing)
            cues = drop_cues_of(connection, existing)
            count_change(connection)
            return len(existing), add_drop(connection, stale, cues)

    def erase_leftovers(self) -> bool:
        """See `Database`."""
        return self._database.erase_leftovers()

    def settle(self, intent: int) -> None:
        """The vectors of this note are as the catalog says. Lost, it is only done again."""
        with self._database.writing(durable=False) as connection:
            connection.execute("DELETE FROM outbox WHERE intent_no = ?", (intent,))

    def write(
        self,
        change: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """What `change` (a function of `writes` or `notes`, say) writes: all of it, or nothing."""
        with self._database.writing() as connection:
            return change(connection, *args, **named)

    async def awrite(
        self,
        change: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """As `write`, in a worker thread, to its end."""
        return await to_its_end(asyncio.to_thread(lambda: self.write(change, *args, **named)))

    # --- reading ---

    def read(
        self,
        view: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """What `view` (a function of `reads`, say) reads, in one consistent view of the file."""
        with self._database.reading() if self.exists() else in_memory(MIGRATIONS) as connection:
            return view(connection, *args, **named)

    async def aread(
        self,
        view: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """As `read`, in a worker thread."""
        return await asyncio.to_thread(lambda: self.read(view, *args, **named))

    def file_faults(self) -> list[str]:
        """See `Database`."""
        return self._database.faults() if self.exists() else []

    def counts(self, *, vectors: int, embedder: str) -> StoreCounts:
        """What is stored; the caller knows the number of vectors."""
        known = self._database.newest
        return self.read(
            catalog_reads.counts, vectors=vectors, schema_version=known, embedder=embedder
        )

    def is_empty(self) -> bool:
        """Whether no memory is stored."""
        return not self.read(catalog_reads.page, after="", limit=1)

    def passage_count(self) -> int:
        """Passages stored."""
        return int(self.read(read_meta).get("passages", 0))

    def changes(self) -> int:
        """Grows when memories go, or enough are stored to make the memory map again."""
        return int(self.read(read_meta).get("changes", 0))

    def close(self) -> None:
        """Close the file; the catalog cannot be used after."""
        self._database.close()

    def _settled(
        self,
        connection: Connection,
        intent: int | None,
        *,
        passage_ids: Iterable[str],
        cue_ids: Iterable[str],
    ) -> int | None:
        """Exchange a note for one that names the vectors which nothing stored needs any more.

        Raises:
            StoreError: another process has undone the note: it took this one for dead.
        """
        rows = connection.execute(
            "DELETE FROM outbox WHERE intent_no = ? RETURNING cue_ids", (intent,)
        ).fetchall()
        if intent is not None and not rows:
            raise StoreError(
                f"another process has taken over the writing to {self._database.name}; this write "
                f"was not stored: try again"
            )
        candidates = sorted({*cue_ids, *(one for (put,) in rows for one in json.loads(put))})
        unknown = set(candidates) - catalog_reads.known(connection, candidates, catalog_reads.CUES)
        return add_drop(connection, passage_ids, unknown)
