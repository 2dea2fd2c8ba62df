"""Deletes everything that the store keeps of one entity."""

import asyncio
import os
from contextlib import aclosing, suppress
from pathlib import Path

from secondhop.errors import CorruptStoreError, UnknownEntityError
from secondhop.graph.result import Frozen
from secondhop.sessions.service import abandon_those_with
from secondhop.sessions.stores import chosen_sessions
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.catalog.reads import content_hashes
from secondhop.stores.entity_names import entity_digest, entity_slug
from secondhop.stores.sessions import SessionStore
from secondhop.stores.store_directory import StoreDirectory
from secondhop.sync import in_own_loop


class DeletedEntity(Frozen):
    """What was deleted with an entity."""

    entity: str
    memories: int | None
    """None if its catalog cannot be read; it is deleted all the same."""
    files: int
    """The files in its folder: catalog, counters, sessions, traces, caches."""
    bytes: int
    """The size of those files, without its vectors."""
    dry_run: bool = False


async def adelete_entity(
    path: str | Path,
    entity: str,
    *,
    chroma_url: str | None = None,
    sessions: str | SessionStore | None = None,
    dry_run: bool = False,
) -> DeletedEntity:
    """Delete everything that the store at `path` keeps of an entity. This cannot be undone.

    That is its catalog, vectors, counters, sessions, traces and caches, but not what a backup, an
    export, a `caches` folder elsewhere or a checkpointer of yours holds. To a `Recall` that has the
    entity open, here or in another process, it is unknown from then on; a `RecallPool` opens it
    again. What they are doing meanwhile may fail.

    Args:
        chroma_url: the server that its vectors are on.
        sessions: where its open sessions are, if not in its folder. Those that contain one of its
            memories are abandoned.
        dry_run: only report what would be deleted.

    Raises:
        UnknownEntityError: the store keeps nothing of it.
        StoreBusyError: somebody else has been writing to it for 30 s; nothing was deleted.
        StoreError: its vectors are on a server that is not named; nothing was deleted.
    """
    async with aclosing(StoreDirectory(path, chroma_url=chroma_url)) as home:
        try:
            return await deleted_from(home, entity, sessions=sessions, dry_run=dry_run)
        except UnknownEntityError as error:
            others = await asyncio.to_thread(home.entities)
            raise UnknownEntityError(
                entity, store=home.name, cure="check both names", others=others
            ) from error


async def deleted_from(
    home: StoreDirectory,
    entity: str,
    *,
    sessions: str | SessionStore | None = None,
    dry_run: bool = False,
) -> DeletedEntity:
    """As `adelete_entity`, in a store that is open."""
    if not await asyncio.to_thread(home.place.holds, entity):
        raise UnknownEntityError(entity, store=home.name)
    await home.expect_vectors(entity)
    memory_ids = await stored_ids(home.place.catalog(entity))
    folder = home.path / "entities" / entity_slug(entity)
    sizes = await asyncio.to_thread(file_sizes, folder)
    deleted = DeletedEntity(
        entity=entity,
        memories=None if memory_ids is None else len(memory_ids),
        files=len(sizes),
        bytes=sum(sizes),
        dry_run=dry_run,
    )
    if dry_run:
        return deleted
    await abandon_sessions(sessions, memory_ids or [], entity=entity)
    await home.delete_entity(entity)
    return deleted


delete_entity = in_own_loop(adelete_entity)


def file_sizes(folder: Path) -> list[int]:
    """Bytes of each file below a folder in use, where files come and go meanwhile."""
    sizes: list[int] = []
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                sizes.append(os.path.getsize(os.path.join(place, name)))
    return sizes


async def stored_ids(catalog: Catalog) -> list[str] | None:
    """Ids of all memories in a catalog; [] if there is no catalog, None if it is damaged."""
    try:
        return list(await catalog.aread(content_hashes))
    except CorruptStoreError:
        return None
    finally:
        await asyncio.to_thread(catalog.close)


async def abandon_sessions(
    named: str | SessionStore | None, memory_ids: list[str], *, entity: str
) -> None:
    """Abandon sessions outside the entity's folder that contain one of these memories."""
    if not memory_ids:
        return
    store = chosen_sessions(named)
    if store is None:
        return
    try:
        await abandon_those_with(memory_ids, store, owner=entity_digest(entity))
    finally:
        if isinstance(named, str):
            await store.aclose()
