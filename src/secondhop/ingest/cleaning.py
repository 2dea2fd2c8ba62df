"""Cleans every memory before it is stored."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

from secondhop.clean_text import clean_text, is_blank
from secondhop.ingest.dates import parse_date
from secondhop.stores.records import Memory, Message


def clean_memory(memory: Memory) -> Memory:
    """The memory with clean texts, its date in UTC, and without empty messages."""
    messages = tuple(
        Message(clean_text(message.role).strip() or "user", content)
        for message in memory.messages
        if (content := clean_text(message.content)).strip()
    )
    return replace(
        memory,
        memory_id=clean_text(memory.memory_id).strip(),
        title=" ".join(clean_text(memory.title).split()),
        source=clean_text(memory.source).strip() or "note",
        created_at=parse_date(memory.created_at) or memory.created_at.replace(tzinfo=UTC),
        messages=messages,
        origin=clean_text(memory.origin),
        subject=" ".join(clean_text(memory.subject).split()),
        attribute=" ".join(clean_text(memory.attribute).split()),
        value=" ".join(clean_text(memory.value).split()),
        scope=" ".join(clean_text(memory.scope).split()),
        cues=clean_lines(memory.cues),
        broad_cues=clean_lines(memory.broad_cues),
        role=" ".join(clean_text(memory.role).split()),
        replaces=clean_lines(memory.replaces),
        tags=clean_lines(memory.tags),
    )


def says_nothing(memory: Memory) -> bool:
    """Whether no message has text that can be seen."""
    return all(is_blank(message.content) for message in memory.messages)


def clean_lines(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts cleaned, each on one line, without empty and repeated ones."""
    cleaned = (" ".join(clean_text(text).split()) for text in texts)
    return tuple(dict.fromkeys(text for text in cleaned if text))
