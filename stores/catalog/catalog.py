"""The catalog of one entity: its memories, passages and lexical index.

In SQLite it is one file; in PostgreSQL, rows that no other entity's handle can see. Neither word
weights nor speed depend on other entities. All methods except `aread` and `awrite` block;
`EntityStore` calls them from worker threads.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from pathlib import Path
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar
from uuid import uuid4

from secondhop.errors import CorruptStoreError, StoreError
from secondhop.stores.catalog import reads as catalog_reads
from secondhop.stores.catalog import stored_ids
from secondhop.stores.catalog.analysis import analyzer_id
from secondhop.stores.catalog.cue_writes import drop_cues_of, store_given
from secondhop.stores.catalog.erasing import leave_erasing
from secondhop.stores.catalog.keeping import Decision, KeepingView, drop_keeping, keep
from secondhop.stores.catalog.known_rows import KnownRows
from secondhop.stores.catalog.migrations import MIGRATIONS
from secondhop.stores.catalog.notes import add_drop, add_intent, read_meta, write_meta
from secondhop.stores.catalog.quotes import clear_quotes
from secondhop.stores.catalog.versions import keep_replaced
from secondhop.stores.catalog.writes import drop_memories, rebuild_lexicon, store_memories
from secondhop.stores.database import Connection, Database
from secondhop.stores.in_a_thread import in_a_thread
from secondhop.stores.locks import to_its_end
from secondhop.stores.records import EmbeddedMemory, Memory, Passage
from secondhop.stores.sqlite import SqliteDatabase, in_memory

P = ParamSpec("P")
T = TypeVar("T")

_PAGE = 256
"""How many memories are read at once when all are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Whose catalog this is, and which vectors belong to it."""

    entity: str
    embedder_id: str
    dimension: int
    generation: int = 1
    """Which of the entity's collections holds its vectors; a reindex fills the next one."""
    server: str | None = field(default=None, compare=False)
    """Address of the Chroma server that they are on; "" if they are in the store itself; None if
    unknown, because an older secondhop wrote the catalog."""


class Catalog:
    """What is stored for one entity. A file that does not exist yet reads as an empty store."""

    def __init__(
        self, place: Path | Database, *, expect_store: Callable[[], None] = lambda: None
    ) -> None:
        """
        Args:
            place: a SQLite file, or another database.
            expect_store: called when a catalog that was there is missing; raises if the whole store
                is.
        """
        self.database: Database = (
            SqliteDatabase(place, steps=MIGRATIONS) if isinstance(place, Path) else place
        )
        """Where its rows are."""
        self._ready, self._expect_store = False, expect_store
        self.birth: str | None = None
        """Which catalog this object has seen; None: none yet. One that was deleted and begun again
        has another."""
        self.known = KnownRows(self.read, stamp=self.database.stamp)

    def exists(self) -> bool:
        """Whether the catalog was created; False also if its creation was cut short.

        Raises:
            StoreUnavailableError: it was there before, and the whole store is gone.
        """
        if not self.database.exists():
            if self._ready:
                self._expect_store()
            self._ready = False
            return False
        if self._ready:
            return True
        with self.database.reading() as connection:
            found = self.database.version(connection)
            meta = read_meta(connection) if found else {}
        is_made = bool(meta)
        if is_made and self.birth is None:
            self.birth = meta.get("birth", "")
        self._ready = is_made and found == self.database.newest
        return is_made

    def needs_upgrade(self) -> bool:
        """Whether the schema is older, or another analyzer wrote the lexical index."""
        with self.database.reading() as connection:
            old_schema = self.database.version(connection) < self.database.newest
            return old_schema or read_meta(connection).get("analyzer") != analyzer_id()

    def upgrade(self) -> None:
        """Bring it to the newest schema and the current analyzer. Needs the writer's lock."""
        self.database.migrate()
        with self.database.reading() as connection:
            outdated = read_meta(connection).get("analyzer") != analyzer_id()
        if outdated:
            self.write(rebuild_lexicon)
        self._ready = True

    def create(self, identity: Identity) -> None:
        """Create the tables. Needs the writer's lock."""
        self.database.migrate()
        self.adopt(identity)
        self._ready = True

    def identity(self) -> Identity:
        """Whose catalog this is, and which vectors belong to it.

        Raises:
            CorruptStoreError: the catalog does not say.
            StoreError: another process has deleted the entity.
        """
        if (found := self.found_identity()) is None:
            raise StoreError(
                f"nothing is left of the entity in {self.database.name}: it was deleted since it "
                f"was opened; open it again"
            )
        return found

    def found_identity(self) -> Identity | None:
        """As `identity`; None if the catalog was not created, or is not there any more, even if
        another one has been begun in its place."""
        if not self.exists():
            return None
        with self.database.reading() as connection:
            meta = read_meta(connection)
        if not meta or meta.get("birth", "") != self.birth:
            return None
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
                f"{self.database.name} does not say whose memory it is ({error!r}); put a backup "
                f"in place"
            ) from error

    def adopt(self, identity: Identity) -> None:
        """Write the identity, at creation or when a reindex is finished."""
        with self.database.writing() as connection:
            values = {
                "entity": json.dumps(identity.entity),
                "embedder_id": identity.embedder_id,
                "dimension": str(identity.dimension),
                "generation": str(identity.generation),
            }
            if identity.server is not None:
                values["server"] = identity.server
            meta = read_meta(connection)
            if "analyzer" not in meta:
                values["analyzer"] = analyzer_id()
            if not meta:
                values["birth"] = self.birth = uuid4().hex
            write_meta(connection, values)

    # --- writing: an intent first, then the vectors, then everything else at once ---

    def intend(self, passage_ids: Sequence[str], cue_ids: Sequence[str] = ()) -> int:
        """Note that vectors of these passages and cues are about to be put.

        Returns the note's number. A power cut may lose the note; the next start removes vectors
        that the catalog does not know.
        """
        with self.database.writing(durable=False) as connection:
            return add_intent(connection, "put", passage_ids, cue_ids)

    def store(
        self,
        memories: Sequence[EmbeddedMemory],
        *,
        intent: int,
        at: datetime,
        decide: Decision | None = None,
    ) -> int | None:
        """Store memories whose vectors are in the index, and keep replaced texts (`versions.py`).

        The intent becomes a 'drop' note for the vectors that replaced texts leave behind. Returns
        the number of that note; None if nothing is left behind. `decide` says what else changes; it
        sees the catalog before these memories are stored.
        """
        with self.database.writing() as connection:
            changes = decide(KeepingView(connection)) if decide else ()
            own, ids = [m.memory for m in memories], [m.memory.memory_id for m in memories]
            keep_replaced(connection, own, at=at)
            stale = store_memories(connection, memories)
            leave_erasing(connection, ids)
            gone = store_given(connection, own, at=at)
            keep(connection, changes)
            return self._settled(connection, intent, passage_ids=stale, cue_ids=gone)

    def change_cues(
        self, write: Callable[[Connection], set[str]], *, intent: int | None = None
    ) -> int | None:
        """Change cues with `write`, which returns the ids of deleted cues. Returns as `store`."""
        with self.database.writing() as connection:
            gone = write(connection)
            return self._settled(connection, intent, passage_ids=(), cue_ids=gone)

    def remove(self, memory_ids: Sequence[str]) -> int:
        """Delete memories, and note that their vectors go. Returns how many existed."""
        with self.database.writing() as connection:
            existing = stored_ids.stored(connection, memory_ids)
            if not existing:
                return 0
            clear_quotes(connection, existing)
            stale = drop_memories(connection, existing)
            drop_keeping(connection, existing)
            cues = drop_cues_of(connection, existing)
            add_drop(connection, stale, cues)
            return len(existing)

    def erase_leftovers(self) -> bool:
        """See `Database`."""
        return self.database.erase_leftovers()

    def settle(self, intent: int) -> None:
        """Delete a note whose vectors now agree with the catalog.

        If a power cut undoes this, the repair is only repeated.
        """
        with self.database.writing(durable=False) as connection:
            connection.execute("DELETE FROM outbox WHERE intent_no = ?", (intent,))

    def write(
        self,
        change: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """Call `change` (say, a function of `writes` or `notes`) in one write transaction."""
        with self.database.writing() as connection:
            return change(connection, *args, **named)

    async def awrite(
        self,
        change: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """As `write`, in a worker thread. A cancelled caller waits for its end."""
        return await to_its_end(asyncio.to_thread(lambda: self.write(change, *args, **named)))

    # --- reading ---

    def read(
        self,
        view: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """Call `view` (say, a function of `reads`) on one consistent state of the catalog."""
        with self.database.reading() if self.exists() else in_memory(MIGRATIONS) as connection:
            return view(connection, *args, **named)

    aread = in_a_thread(read)
    """As `read`, in a worker thread."""

    async def pages(self) -> AsyncIterator[list[tuple[Memory, tuple[Passage, ...]]]]:
        """All memories by id, each with its passages; a page is in RAM at a time."""
        after = ""
        while page := await self.aread(catalog_reads.page, after=after, limit=_PAGE):
            yield page
            after = page[-1][0].memory_id

    def is_empty(self) -> bool:
        """Whether no memory is stored."""
        return self.read(catalog_reads.is_empty)

    def passage_count(self) -> int:
        """The number of stored passages."""
        return int(self.read(read_meta).get("passages", 0))

    def close(self) -> None:
        """Close the database. The catalog cannot be used afterwards."""
        self.database.close()

    def _settled(
        self,
        connection: Connection,
        intent: int | None,
        *,
        passage_ids: Iterable[str],
        cue_ids: Iterable[str],
    ) -> int | None:
        """Replace a note by one that names the vectors that nothing stored needs any more.

        Returns the new note's number; None if there are no such vectors.

        Raises:
            StoreError: another process has deleted the note, because it took this one for dead.
        """
        rows = connection.execute(
            "DELETE FROM outbox WHERE intent_no = ? RETURNING cue_ids", (intent,)
        ).fetchall()
        if intent is not None and not rows:
            raise StoreError(
                f"another process has taken over the writing to {self.database.name}; this write "
                f"was not stored: try again"
            )
        candidates = sorted({*cue_ids, *(one for (put,) in rows for one in json.loads(put))})
        unknown = set(candidates) - stored_ids.known(connection, candidates, stored_ids.CUES)
        return add_drop(connection, passage_ids, unknown)


class HasCatalog(Protocol):
    """An object that reads one catalog."""

    _catalog: Catalog


def by_reading(
    view: Callable[Concatenate[Connection, P], T],
) -> "Callable[Concatenate[HasCatalog, P], CoroutineType[Any, Any, T]]":
    """A method that calls a view of the catalog, in a thread: `tags = by_reading(reads.tags)`.

    Its arguments and its docstring are those of the view.
    """

    @in_a_thread
    @wraps(view)
    def read(self: HasCatalog, /, *args: P.args, **named: P.kwargs) -> T:
        catalog = self._catalog  # pyright: ignore[reportPrivateUsage] - a method of it
        return catalog.read(view, *args, **named)

    return read
