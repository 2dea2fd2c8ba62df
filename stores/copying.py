"""Copies an entity from one store into another, between folders and PostgreSQL.

Both keep the same tables and the same vectors, so nothing is embedded or analysed again. The
catalog, without which an entity does not exist, is written last, in one transaction. So a killed
copy leaves no entity in the target, and the next copy starts over.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, closing
from hashlib import sha256
from typing import NamedTuple, TypeAlias

import numpy as np

from secondhop.errors import CorruptStoreError, StoreError, UsageError
from secondhop.stores.catalog import stored_ids
from secondhop.stores.catalog.catalog import Identity
from secondhop.stores.catalog.notes import write_meta
from secondhop.stores.catalog.rows import Row, text_of
from secondhop.stores.database import Connection, Database
from secondhop.stores.locks import writer_turn
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.store_place import StorePlace
from secondhop.stores.trace_files import PART_SUFFIX
from secondhop.stores.vectors.place import place_of

_CATALOG = "catalog"
_META = "meta"
_TABLES = {
    "counters": ("counters", "counted"),
    "sessions": ("open_sessions",),
    _CATALOG: (
        *("memories", "passages", "postings", "keeping", "history", "earlier_texts"),
        *("cues", "annotations", "replacements", _META),
    ),
}
"""The tables of each database of an entity, with the catalog last. The outbox is not copied, and
neither are the vectors that its notes name."""
_NUMBERED = {"memories": "rowid", "history": "entry_no", "earlier_texts": "version_no"}
"""{table whose rows are in order: the column with their number}. Each database numbers its own."""
_OWN = {"entity", *_NUMBERED.values()}
_BYTES = {"entries", "vector", "document"}
"""Columns that hold bytes, not text."""
_PAGE = 1_000
_ROUNDING = 1e-6
"""Tolerance, because Chroma normalises every vector again when it stores it."""
_LOCK_TIMEOUT_S = 30.0


class Digest(NamedTuple):
    """A digest of a table's rows that does not depend on their order."""

    rows: int
    hashes: int
    """The sum of the rows' hashes."""


Contents: TypeAlias = Mapping[str, Digest]
"""{table: its digest}, without `meta`, whose note of where the vectors are may differ."""


class EntityCopy(NamedTuple):
    """What was copied of an entity."""

    memories: int
    vectors: int = 0
    """Of passages and cues."""
    traces: int = 0
    was_there: bool = False
    """The same memories were there already; nothing was written."""


async def copy_entity(entity: str, source: StoreDirectory, target: StoreDirectory) -> EntityCopy:
    """Copy everything of an entity, and compare rows and vectors with the originals.

    Writers to the entity wait meanwhile. What is kept elsewhere (sessions on Redis, embeddings in a
    cache) is not copied.

    Raises:
        EmbedderMismatchError: the target's vectors come from another model.
        CorruptStoreError: the source lacks vectors, or the copy differs from it.
        StoreError: the target already has other memories of that entity.
        UsageError: source and target are the same.
    """
    if source.place.lock(entity).key == target.place.lock(entity).key:
        raise UsageError(
            f"{source.name} cannot be copied into itself ({target.name}); name another place"
        )
    with closing(source.place.catalog(entity)) as catalog:
        identity = await asyncio.to_thread(catalog.identity)
    for home in (source, target):  # this upgrades an older schema and undoes half-done writes
        opened = await home.open_entity(
            entity, embedder_id=identity.embedder_id, dimension=identity.dimension
        )
        await opened.aclose()
    async with AsyncExitStack() as turns:
        for home in (source, target):
            turn = writer_turn(home.place.lock(entity), timeout_s=_LOCK_TIMEOUT_S)
            await turns.enter_async_context(turn)
        return await _copied(identity, source.place, target.place)


async def _copied(identity: Identity, source: StorePlace, target: StorePlace) -> EntityCopy:
    entity = identity.entity
    with ExitStack() as closes:
        old, new = (databases(place, entity) for place in (source, target))
        for database in (*old.values(), *new.values()):
            closes.enter_context(closing(database))
        known = await asyncio.to_thread(contents, old[_CATALOG], _TABLES[_CATALOG])
        memories = known["memories"].rows
        with closing(target.catalog(entity)) as catalog:
            is_there = await asyncio.to_thread(catalog.exists)
        if is_there:
            if await asyncio.to_thread(contents, new[_CATALOG], _TABLES[_CATALOG]) != known:
                raise StoreError(
                    f"{target.name} already has a different memory of entity {entity!r}; delete "
                    f"it there, or name another place"
                )
            return EntityCopy(memories=memories, was_there=True)
        if await asyncio.to_thread(target.holds, entity):  # what a killed copy left
            await asyncio.to_thread(target.erase, entity)
        await asyncio.to_thread(target.found, identity)
        await asyncio.to_thread(new[_CATALOG].migrate)  # it makes the folder of the other parts
        vectors = 0
        for embedded, ending in ((stored_ids.PASSAGES, ""), (stored_ids.CUES, ".cues")):
            ids = await asyncio.to_thread(ids_in, old[_CATALOG], embedded)
            vectors += await copy_vectors(
                sorted(ids),
                source.vectors(identity, ending=ending),
                target.vectors(identity, ending=ending),
            )
        traces = await asyncio.to_thread(copy_traces, source, target, entity)
        for part, tables in _TABLES.items():
            await asyncio.to_thread(copy_rows, old[part], new[part], tables, target)
        return EntityCopy(memories=memories, vectors=vectors, traces=traces)


def databases(place: StorePlace, entity: str) -> dict[str, Database]:
    """{name in `_TABLES`: the database that holds those rows of the entity}."""
    return {
        "counters": place.counters(entity).database,
        "sessions": place.sessions(entity).database,
        _CATALOG: place.catalog(entity).database,
    }


# --- rows ---


def copy_rows(old: Database, new: Database, tables: Sequence[str], place: StorePlace) -> None:
    """Copy these tables from one moment, all of them or none.

    Raises:
        CorruptStoreError: the rows that are read back differ from those copied.
    """
    if not old.exists():
        return
    old.migrate()
    new.migrate()
    with old.reading() as read, new.writing() as write:
        given = {table: copy_table(read, write, table) for table in tables}
        if given.pop(_META, None):
            write_meta(write, {"server": place_of(place.server)})
    if contents(new, tables) != given:
        raise CorruptStoreError(f"what was copied to {new.name} is not what was read; try again")


def copy_table(read: Connection, write: Connection, table: str) -> Digest:
    """Copy the rows of a table. Returns their digest."""
    names, digest = columns(read, table), Digest(0, 0)
    sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for page in pages(rows_of(read, table)):
        write.executemany(sql, page)
        digest = added(digest, page)
    return digest


def contents(database: Database, tables: Iterable[str]) -> Contents:
    """{table: its digest}, without `meta`."""
    found: dict[str, Digest] = {}
    with database.reading() as connection:
        for table in tables:
            if table != _META:
                found[table] = Digest(0, 0)
                for page in pages(rows_of(connection, table)):
                    found[table] = added(found[table], page)
    return found


def ids_in(database: Database, embedded: stored_ids.Embedded) -> set[str]:
    """The ids of everything that has a vector."""
    with database.reading() as connection:
        return stored_ids.ids(connection, embedded)


def columns(connection: Connection, table: str) -> list[str]:
    """The names of the columns that are copied, sorted."""
    described = connection.execute(f"SELECT * FROM {table} LIMIT 0").description or ()
    return sorted({column[0] for column in described} - _OWN)


def rows_of(connection: Connection, table: str) -> Iterator[Row]:
    """All rows, by number if the table has one; text that is stored as bytes is decoded."""
    names = columns(connection, table)
    order = f" ORDER BY {_NUMBERED[table]}" if table in _NUMBERED else ""
    for row in connection.execute(f"SELECT {', '.join(names)} FROM {table}{order}"):
        yield tuple(
            value if name in _BYTES or not isinstance(value, bytes) else text_of(value)
            for name, value in zip(names, row, strict=True)
        )


def added(digest: Digest, page: Sequence[Row]) -> Digest:
    """The digest after these rows are added."""
    hashes = (int.from_bytes(sha256(repr(row).encode()).digest()) for row in page)
    return Digest(digest.rows + len(page), (digest.hashes + sum(hashes)) % 2**256)


def pages(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows in lists of at most `_PAGE`."""
    page: list[Row] = []
    for row in rows:
        page.append(row)
        if len(page) == _PAGE:
            yield page
            page = []
    if page:
        yield page


# --- vectors and traces ---


async def copy_vectors(ids: Sequence[str], old: VectorIndex, new: VectorIndex) -> int:
    """Empty the new collection and copy these vectors into it. Returns how many.

    Raises:
        CorruptStoreError: one is missing, or is read back differently.
    """
    await new.drop()
    for start in range(0, len(ids), _PAGE):
        page = ids[start : start + _PAGE]
        found = await old.fetch(page)
        if len(found) < len(page):
            raise CorruptStoreError(
                f"{len(page) - len(found)} vectors are missing; `secondhop doctor --fix` embeds "
                f"them, then copy again"
            )
        vectors = np.stack([found[one] for one in page])
        await new.upsert(page, vectors)
        again = await new.fetch(page)
        if len(again) < len(page) or not np.allclose(
            [again[one] for one in page], vectors, atol=_ROUNDING
        ):
            raise CorruptStoreError("vectors were not stored as they were; try again")
    return len(ids)


def copy_traces(source: StorePlace, target: StorePlace, entity: str) -> int:
    """Copy the traces of the entity's recalls. Returns how many."""
    old, new, count = source.traces(entity), target.traces(entity), 0
    for trace in old.listed():
        content = None if trace.name.endswith(PART_SUFFIX) else old.read(trace.name)
        if content is not None:
            new.write(trace.name, content, at_ns=trace.at_ns)
            count += 1
    return count
