"""Exports for other memory libraries: what is true now, as text with dates and tags."""

from collections.abc import AsyncIterator
from datetime import datetime
from hashlib import md5
from typing import Any, Final, Literal, TypeAlias, get_args

from secondhop.errors import UsageError
from secondhop.ingest.langgraph_items import kept_value
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import Memory

OtherFormat: TypeAlias = Literal["mem0", "langmem"]
OTHER_FORMATS: Final[tuple[OtherFormat, ...]] = get_args(OtherFormat)


async def in_format(format: str, store: EntityStore, *, now: datetime) -> Any:
    """The document that another library reads: what mem0's `Memory.get_all` would return, or items
    for `store.put(tuple(namespace), key, value)`.

    Raises:
        UsageError: there is no such format.
    """
    entity, memories = store.identity.entity, holding(store, now=now)
    match format:
        case "mem0":
            return {"results": [mem0_row(one, user_id=entity) async for one in memories]}
        case "langmem":
            return [item_row(one, entity=entity) async for one in memories]
        case _:
            raise UsageError(
                f"unknown export format {format!r}; choose one of {', '.join(OTHER_FORMATS)}"
            )


async def holding(store: EntityStore, *, now: datetime) -> AsyncIterator[Memory]:
    """The valid memories by id. Other libraries have no place for memories that have ended."""
    keepings = await store.keepings()
    async for page in store.pages():
        for memory, _ in page:
            keeping = keepings.get(memory.memory_id)
            if keeping is None or keeping.end(now=now) is None:
                yield memory


def mem0_row(memory: Memory, *, user_id: str) -> dict[str, Any]:
    """A memory in the form of mem0."""
    at = memory.created_at.isoformat()
    told = {"title": memory.title, "source": memory.source, "tags": list(memory.tags)}
    return {
        "id": memory.memory_id,
        "memory": memory.text,
        "hash": md5(memory.text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest(),
        "metadata": {name: value for name, value in told.items() if value},
        "created_at": at,
        "updated_at": at,
        "user_id": user_id,
    }


def item_row(memory: Memory, *, entity: str) -> dict[str, Any]:
    """A memory as an item. If it came from an item, it keeps that item's namespace, key and
    value."""
    kept = kept_value(memory)
    return {
        "namespace": list(kept.namespace or entity.split(".")),
        "key": kept.key or memory.memory_id,
        "value": kept.value,
        "created_at": kept.created_at.isoformat(),
        "updated_at": memory.created_at.isoformat(),
    }
