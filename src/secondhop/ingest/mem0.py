"""mem0: the output of `Memory.get_all`, `{"results": [{id, memory, …}]}`, or its rows alone."""

from collections.abc import Iterator

from secondhop.ingest.dates import parse_date
from secondhop.ingest.json_text import JsonObject, id_at, object_at, objects_at, text_at, texts_at
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.ingest.rows import Row, rows_in
from secondhop.stores.records import Memory, Message


def is_mem0_row(row: JsonObject) -> bool:
    """Whether a row is a memory of mem0, or holds a list of them."""
    inner = objects_at(row, "results")
    return bool(text_at(row, "memory")) or any(text_at(one, "memory") for one in inner)


def read_mem0(document: Document) -> Iterator[Found | Skipped]:
    """One memory per row, dated by its last change; categories and tags become its tags."""
    for row in rows_in(document):
        if isinstance(row, Skipped):
            yield row
            continue
        inner = objects_at(row.fields, "results")
        rows = [Row(one, f"{row.item} [{place}]") for place, one in enumerate(inner)] or [row]
        yield from (_memory(one, document) for one in rows)


def _memory(row: Row, document: Document) -> Found | Skipped:
    fields, told = row.fields, object_at(row.fields, "metadata")
    text, memory_id = text_at(fields, "memory"), id_at(fields, "id")
    if not text or not memory_id:
        return Skipped(row.item, "not a mem0 memory: it has no id, or no text in `memory`")
    changed = parse_date(fields.get("updated_at"))
    memory = Memory(
        memory_id=memory_id,
        title=text_at(told, "title"),
        source=text_at(told, "source") or "memory",
        created_at=changed or parse_date(fields.get("created_at")) or document.modified_at,
        messages=(Message(text_at(fields, "role") or "user", text),),
        origin=document.origin,
        tags=(*texts_at(fields, "categories"), *texts_at(told, "tags")),
    )
    return Found(memory=memory, item=row.item, updated_at=changed)
