"""Items of a LangGraph store (also LangMem's): rows with namespace, key and value."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, cast

from secondhop.ingest.dates import parse_date
from secondhop.ingest.json_text import JsonObject, text_at, texts_at
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.ingest.rows import Row, rows_in
from secondhop.stores.records import Memory, Message

ITEM: Final = "item"
"""Source of an item that searches may find."""

NOT_INDEXED: Final = "item (not indexed)"
"""Source of an item that was put with `index=False`."""


class ItemValue(NamedTuple):
    """An item as it was put, kept beside the words that it is found by."""

    value: dict[str, Any]
    created_at: datetime
    namespace: tuple[str, ...]
    """() if the entity stands for the namespace."""
    key: str
    """"" if the memory's id is the key."""


def is_item_row(row: JsonObject) -> bool:
    """Whether a row is an item of a LangGraph store."""
    held = isinstance(row.get("namespace"), list) and isinstance(row.get("value"), dict)
    return held and bool(text_at(row, "key"))


def read_items(document: Document) -> Iterator[Found | Skipped]:
    """One memory per item, with the id "namespace/key" and the texts of its value."""
    for row in rows_in(document):
        if isinstance(row, Skipped):
            yield row
        elif is_item_row(row.fields):
            yield _found(row, document)
        else:
            reason = "not an item of a LangGraph store: it needs namespace, key and value"
            yield Skipped(row.item, reason, may_hide_memories=True)


def _found(row: Row, document: Document) -> Found:
    fields = row.fields
    namespace, key = texts_at(fields, "namespace"), text_at(fields, "key")
    value = cast("dict[str, Any]", fields["value"])
    changed = parse_date(fields.get("updated_at")) or document.modified_at
    created_at = parse_date(fields.get("created_at")) or changed
    memory = Memory(
        memory_id="/".join([*namespace, key]),
        title="",
        source=ITEM,
        created_at=changed,
        messages=(Message("user", words_of(value)),),
        origin=document.origin,
        value=kept_text(ItemValue(value, created_at, namespace, key)),
    )
    return Found(memory=memory, item=row.item, updated_at=changed)


def kept_text(item: ItemValue) -> str:
    """An item as JSON, for `Memory.value`.

    Raises:
        TypeError: its value cannot be written as JSON.
    """
    told = {"value": item.value, "created_at": item.created_at.isoformat()}
    place = {"namespace": item.namespace, "key": item.key} if item.key else {}
    # cleaning collapses spaces in a memory's value; all spaces here are inside JSON strings
    return json.dumps(told | place, separators=(",", ":")).replace(" ", "\\u0020")


def kept_value(memory: Memory) -> ItemValue:
    """The item that `kept_text` wrote; a memory that was not put as an item becomes one with its
    text."""
    if memory.source not in (ITEM, NOT_INDEXED) or not memory.value.startswith('{"value":{'):
        # a caller's own memory may have such a source
        about = {"title": memory.title, "source": memory.source, "tags": list(memory.tags)}
        value = {"content": memory.text} | {name: said for name, said in about.items() if said}
        return ItemValue(value, memory.created_at, (), "")
    told: dict[str, Any] = json.loads(memory.value)
    created_at = datetime.fromisoformat(told["created_at"])
    namespace = tuple(told.get("namespace", ()))
    return ItemValue(told["value"], created_at, namespace, told.get("key", ""))


def words_of(value: Mapping[str, Any]) -> str:
    """The text that an item is found by: all texts in its value except LangMem's schema name.

    Without any, the value as JSON.
    """
    schema = "kind" if "content" in value else None
    texts = texts_in({name: part for name, part in value.items() if name != schema})
    return "\n".join(text for text in texts if text.strip()) or json.dumps(value)


def texts_in(value: object) -> Iterator[str]:
    """Every text in a nested value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in cast("Mapping[str, object]", value).values():
            yield from texts_in(part)
    elif isinstance(value, list | tuple):
        for part in cast("Sequence[object]", value):
            yield from texts_in(part)
