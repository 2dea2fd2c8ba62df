"""Converts memories and passages to catalog rows, and back."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from secondhop.stores.cues import Breadth
from secondhop.stores.keeping import AS_STORED, HistoryEntry, Keeping
from secondhop.stores.records import (
    BriefableMemory,
    EarlierText,
    Memory,
    MemoryCard,
    Message,
    Passage,
)
from secondhop.stores.titles import first_words

MEMORY_COLUMNS = (
    "memory_id, title, source, created_at, origin, messages, tags, "
    "kind, subject, attribute, value, scope"
)
PASSAGE_COLUMNS = "passage_id, memory_id, ordinal, text, tokens, heading"
KEEPING_COLUMNS = (
    "memory_id, valid_until, salience, deprecated_at, deprecated_because, "
    "superseded_at, superseded_by, mark"
)
CARDS = f"""SELECT title, CASE WHEN title = '' THEN
    (SELECT text FROM passages WHERE passages.memory_id = memories.memory_id AND ordinal = 0) END,
    source, created_at, passage_count, kind, {KEEPING_COLUMNS}
FROM memories LEFT JOIN keeping USING (memory_id)"""
BRIEFABLE_COLUMNS = (
    "memory_id, title, source, created_at, kind, slot, value, scope, passage_count, salience, mark"
)
HISTORY_COLUMNS = "memory_id, at, act, other_id, detail"
VERSION_COLUMNS = "replaced_at, replaced_by, passages"
"""The columns of an earlier text besides MEMORY_COLUMNS. `passages` is "[]"; in older stores it
holds the text once more, as it was cut."""

Row = tuple[Any, ...]
"""What sqlite3 returns and accepts: one str, bytes, int, float or None per column."""


def memory_row(memory: Memory, *, passage_count: int) -> Row:
    """Values for (MEMORY_COLUMNS, slot, content_hash, passage_count)."""
    return (*_said(memory), slot_of(memory), memory.content_hash, passage_count)


def _said(memory: Memory) -> Row:
    turns = [[message.role, message.content] for message in memory.messages]
    said = {
        "created_at": memory.created_at.isoformat(),
        "messages": json.dumps(turns),
        "tags": json.dumps(memory.tags),
    }
    return tuple(said.get(one, getattr(memory, one)) for one in MEMORY_COLUMNS.split(", "))


def named(columns: str, row: Row) -> dict[str, Any]:
    """{column: its value}; a text that version 0.1 wrote as bytes is decoded."""
    values = (text_of(one) if isinstance(one, bytes) else one for one in row)
    return dict(zip(columns.split(", "), values, strict=True))


def tags_of(text: str) -> tuple[str, ...]:
    """The tags in a catalog's JSON list."""
    return () if text == "[]" else tuple(json.loads(text))


def slot_of(memory: Memory) -> str:
    """A hash that memories share if they rule each other out; "" for continuity.

    Facts: subject and attribute. Preferences: scope and topic; without a topic, the text.
    """
    match memory.kind:
        case "continuity":
            return ""
        case "factual":
            return slot_of_fact(memory.subject, memory.attribute)
        case "preferential":
            text = "\n".join(message.content for message in memory.messages)
            about = [memory.scope, *([memory.subject] if memory.subject else ["", text])]
    return _slot(about)


def slot_of_fact(subject: str, attribute: str) -> str:
    """The slot of the facts with this subject and attribute."""
    return _slot([subject, attribute])


def _slot(about: list[str]) -> str:
    return sha256(json.dumps(list(map(folded, about))).encode()).hexdigest()[:32]


def folded(text: str) -> str:
    """The text without differences of case and white space."""
    return " ".join(text.casefold().split())


def memory_of(row: Row) -> Memory:
    """From MEMORY_COLUMNS."""
    said = named(MEMORY_COLUMNS, row)
    said["created_at"] = datetime.fromisoformat(said["created_at"])
    said["messages"] = tuple(Message(*turn) for turn in json.loads(said["messages"]))
    said["tags"] = tags_of(said["tags"])
    return Memory(**said)


def version_row(text: EarlierText) -> Row:
    """Values for (MEMORY_COLUMNS, VERSION_COLUMNS)."""
    at, by = text.replaced_at.isoformat(), text.replaced_by
    return (*_said(text.memory), at, by, "[]")


def version_of(row: Row) -> EarlierText:
    """From (MEMORY_COLUMNS, VERSION_COLUMNS)."""
    *said, replaced_at, replaced_by, _ = row
    return EarlierText(
        memory=memory_of(tuple(said)),
        replaced_at=datetime.fromisoformat(replaced_at),
        replaced_by=text_of(replaced_by),
    )


def keeping_row(memory_id: str, keeping: Keeping) -> Row:
    """Values for KEEPING_COLUMNS."""
    return (
        memory_id,
        _moment_text(keeping.valid_until),
        keeping.salience,
        _moment_text(keeping.deprecated_at),
        keeping.deprecated_because,
        _moment_text(keeping.superseded_at),
        keeping.superseded_by or None,
        keeping.mark,
    )


def keeping_of(row: Row) -> tuple[str, Keeping]:
    """(memory id, keeping) from KEEPING_COLUMNS, which are NULL for a memory without a row."""
    memory_id, valid_until, salience, deprecated_at, because, superseded_at, *rest = row
    if salience is None:
        return memory_id, AS_STORED
    superseded_by, mark = rest
    return memory_id, Keeping(
        valid_until=_moment(valid_until),
        salience=salience,
        deprecated_at=_moment(deprecated_at),
        deprecated_because=text_of(because),
        superseded_at=_moment(superseded_at),
        superseded_by=superseded_by or "",
        mark=mark,
    )


def history_row(entry: HistoryEntry) -> Row:
    """Values for HISTORY_COLUMNS."""
    at, other_id = entry.at.isoformat(), entry.other_id or None
    return (entry.memory_id, at, entry.act, other_id, entry.detail)


def history_of(row: Row) -> HistoryEntry:
    """From HISTORY_COLUMNS."""
    memory_id, at, act, other_id, detail = row
    moment = datetime.fromisoformat(at)
    return HistoryEntry(
        memory_id=memory_id, at=moment, act=act, other_id=other_id or "", detail=text_of(detail)
    )


def card_of(
    row: Row,
    *,
    roles: Mapping[str, str],
    replaced_by: Mapping[str, tuple[str, ...]],
    cues: Mapping[str, Sequence[tuple[Breadth, str]]],
) -> MemoryCard:
    """From CARDS, and from what other tables say, by memory id."""
    title, opening, source, created_at, passage_count, kind, *kept = row
    memory_id, keeping = keeping_of(tuple(kept))
    own = cues.get(memory_id, ())
    return MemoryCard(
        memory_id=memory_id,
        title=first_words(text_of(opening)) if opening else text_of(title),
        source=text_of(source),
        created_at=datetime.fromisoformat(created_at),
        passage_count=passage_count,
        kind=kind,
        keeping=keeping,
        role=roles.get(memory_id, ""),
        replaced_by=replaced_by.get(memory_id, ()),
        cues=tuple(text for breadth, text in own if breadth == "specific"),
        undertakings=tuple(text for breadth, text in own if breadth == "broad"),
    )


def briefable_of(row: Row) -> BriefableMemory:
    """From BRIEFABLE_COLUMNS, whose last two are NULL for a memory without a row in `keeping`."""
    said = named(BRIEFABLE_COLUMNS, row)
    said["created_at"] = datetime.fromisoformat(said["created_at"])
    if said["salience"] is None:
        said |= {"salience": AS_STORED.salience, "mark": AS_STORED.mark}
    return BriefableMemory(**said)


def passage_row(passage: Passage, *, passage_no: int, terms: int) -> Row:
    """Values for (passage_no, PASSAGE_COLUMNS, terms)."""
    own = (getattr(passage, one) for one in PASSAGE_COLUMNS.split(", "))
    return (passage_no, *own, terms)


def passage_of(row: Row) -> Passage:
    """From PASSAGE_COLUMNS."""
    return Passage(**named(PASSAGE_COLUMNS, row))


def _moment_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def text_of(value: str | bytes) -> str:
    """The text of a column. Version 0.1 wrote bytes where a text held half of an emoji."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
