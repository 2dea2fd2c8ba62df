"""Graphiti and Zep: episodes, facts (edges) and entities (nodes), as Graphiti's models dump them.

A document is an object with lists of them, `{"episodes": […], "edges": […], "nodes": […]}`, or rows
of one kind.
"""

from collections.abc import Iterator

from secondhop.ingest.dates import parse_date
from secondhop.ingest.json_text import JsonObject, id_at, objects_at, text_at
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.ingest.rows import Row, rows_in
from secondhop.stores.records import Memory, Message

_LISTS = ("episodes", "edges", "nodes")
_SPEAKERS = {"assistant": "assistant", "ai": "assistant"}


def is_graphiti_row(row: JsonObject) -> bool:
    """Whether a row is an episode, fact or entity, or holds a list of them."""
    if _text_in(row):
        return True
    return any(_text_in(part, listed=True) for name in _LISTS for part in objects_at(row, name))


def read_graphiti(document: Document) -> Iterator[Found | Skipped]:
    """One memory for each episode (what was said), fact (made of it) and entity (its summary)."""
    for row in rows_in(document):
        if isinstance(row, Skipped):
            yield row
            continue
        inner = [(name, part) for name in _LISTS for part in objects_at(row.fields, name)]
        rows = [Row(part, f"{row.item} {name}") for name, part in inner] or [row]
        yield from (_memory(one, document, listed=bool(inner)) for one in rows)


def _text_in(row: JsonObject, *, listed: bool = False) -> str:
    """The text of an episode, fact or entity; "" if the row is none of these.

    Args:
        listed: the row is in one of the lists; otherwise more fields must show its kind.
    """
    if not id_at(row, "uuid"):
        return ""
    if text_at(row, "fact") and text_at(row, "source_node_uuid"):
        return text_at(row, "fact")
    known = listed or "source_description" in row or "entity_edges" in row
    if text_at(row, "content") and known:
        return text_at(row, "content")
    return text_at(row, "summary") if isinstance(row.get("labels"), list) else ""


def _memory(row: Row, document: Document, *, listed: bool) -> Found | Skipped:
    fields = row.fields
    text = _text_in(fields, listed=listed)
    if not text:
        return Skipped(row.item, "it says nothing: no fact, content or summary")
    is_episode = bool(text_at(fields, "content"))
    is_fact = bool(text_at(fields, "fact"))
    dates = (parse_date(fields.get(name)) for name in ("valid_at", "created_at"))
    ended = parse_date(fields.get("invalid_at")) or parse_date(fields.get("expired_at"))
    if is_fact and ended is not None:
        text = f"{text} (No longer true since {ended:%Y-%m-%d}.)"
    speaker = text_at(fields, "role_type", "role")
    memory = Memory(
        memory_id=id_at(fields, "uuid"),
        title="" if is_fact else text_at(fields, "name"),
        source="episode" if is_episode else "fact" if is_fact else "entity",
        created_at=next((date for date in dates if date), document.modified_at),
        messages=(Message(_SPEAKERS.get(speaker, "user"), text),),
        origin=document.origin,
    )
    return Found(memory=memory, item=row.item)
