"""Copies memories into another store, to move them or to keep a copy."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, closing
from pathlib import Path

from secondhop.errors import StoreError, UnknownEntityError, UsageError
from secondhop.graph.result import Frozen
from secondhop.stores.copying import copy_entity
from secondhop.stores.store_directory import StoreDirectory


class Copied(Frozen):
    """What was copied, and compared with the original."""

    store: str
    """Where the copy is."""
    entities: list["CopiedEntity"]


class CopiedEntity(Frozen):
    """One copied entity."""

    entity: str
    memories: int
    vectors: int
    """Of passages and cues."""
    traces: int
    was_there: bool
    """An earlier run had finished copying it; nothing was written."""


async def copied(
    source: StoreDirectory,
    to: str | Path,
    *,
    chroma_url: str | None = None,
    entities: Sequence[str] | None = None,
) -> Copied:
    """See `Maintenance.acopy`.

    Raises:
        UsageError: no entity is named.
        UnknownEntityError: nothing is stored for one of the entities; nothing was copied.
        StoreError: nothing is stored in the source; else as `copy_entity`, and entities that were
            copied before stay.
    """
    if entities is not None and not entities:
        raise UsageError('no entity to copy is named; name one, or all with "*"')
    chosen = await asyncio.to_thread(source.entities) if entities is None else list(entities)
    if not chosen:
        raise StoreError(f"nothing is stored in {source.name}; check --store")
    for entity in chosen:
        with closing(source.place.catalog(entity)) as catalog:
            if not await asyncio.to_thread(catalog.exists):
                others = await asyncio.to_thread(source.entities)
                raise UnknownEntityError(
                    entity, store=source.name, cure="check both names", others=others
                )
    async with aclosing(StoreDirectory(to, chroma_url=chroma_url)) as target:
        done = [(entity, await copy_entity(entity, source, target)) for entity in chosen]
        return Copied(
            store=target.name,
            entities=[CopiedEntity(entity=entity, **one._asdict()) for entity, one in done],
        )
