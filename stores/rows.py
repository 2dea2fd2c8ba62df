"""Memories and passages as rows of the catalog, and back."""

import json
from datetime import datetime
from typing import Any

from secondhop.stores.records import Memory, MemoryCard, Message, Passage

MEMORY_COLUMNS = "memory_id, title, source, created_at, origin, messages"
PASSAGE_COLUMNS = "passage_id, memory_id, ordinal, text, tokens, heading"
CARD_COLUMNS = "memory_id, title, source, created_at, passage_count"

Row = tuple[Any, ...]
"""What sqlite3 gives and takes: str, bytes, int, float or None, one a column."""


def memory_row(memory: Memory, *, passage_count: int) -> Row:
    """Values for (MEMORY_COLUMNS, content_hash, passage_count)."""
    turns = [[message.role, message.content] for message in memory.messages]
    return (
        memory.memory_id,
        _written(memory.title),
        _written(memory.source),
        memory.created_at.isoformat(),
        _written(memory.origin),
        json.dumps(turns),
        memory.content_hash,
        passage_count,
    )


def memory_of(row: Row) -> Memory:
    """From MEMORY_COLUMNS."""
    memory_id, title, source, created_at, origin, messages = row
    return Memory(
        memory_id=memory_id,
        title=_read(title),
        source=_read(source),
        created_at=datetime.fromisoformat(created_at),
        messages=tuple(Message(role, content) for role, content in json.loads(messages)),
        origin=_read(origin),
    )


def card_of(row: Row) -> MemoryCard:
    """From CARD_COLUMNS."""
    memory_id, title, source, created_at, passage_count = row
    return MemoryCard(
        memory_id=memory_id,
        title=_read(title),
        source=_read(source),
        created_at=datetime.fromisoformat(created_at),
        passage_count=passage_count,
    )


def passage_row(passage: Passage, *, passage_no: int, terms: int) -> Row:
    """Values for (passage_no, PASSAGE_COLUMNS, terms)."""
    return (
        passage_no,
        passage.passage_id,
        passage.memory_id,
        passage.ordinal,
        _written(passage.text),
        passage.tokens,
        _written(passage.heading),
        terms,
    )


def passage_of(row: Row) -> Passage:
    """From PASSAGE_COLUMNS."""
    passage_id, memory_id, ordinal, text, tokens, heading = row
    return Passage(
        passage_id=passage_id,
        memory_id=memory_id,
        ordinal=ordinal,
        text=_read(text),
        tokens=tokens,
        heading=_read(heading),
    )


def _written(text: str) -> str | bytes:
    # half of an emoji (a lone surrogate) is no UTF-8, but it is what the memory says
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _read(value: str | bytes) -> str:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
