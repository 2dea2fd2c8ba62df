"""The scenario format: `conversations.jsonl` with id, title, source, created_at and messages.

A file `cues.jsonl` beside it may hold cues for the memories, by id.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from secondhop.ingest.json_text import JsonObject, id_at, text_at, texts_at
from secondhop.ingest.jsonl import found_in, notices_of
from secondhop.ingest.reading import Document, Found, Skipped, UnreadableError
from secondhop.ingest.rows import rows_in

MEMORIES_FILE: Final = "conversations.jsonl"
CUES_FILE: Final = "cues.jsonl"


def is_scenario_row(row: JsonObject) -> bool:
    """Whether a row has all the fields of the format."""
    named = id_at(row, "id") and text_at(row, "source") and "created_at" in row and "title" in row
    return bool(named) and isinstance(row.get("messages"), list)


def read_scenario(document: Document) -> Iterator[Found | Skipped]:
    """One memory per row; a row that lacks a field of the format is skipped."""
    cues, faults = cues_beside(document)
    yield from faults
    for row in rows_in(document):
        if isinstance(row, Skipped):
            yield row
        elif is_scenario_row(row.fields):
            yield (entry := with_cues(found_in(row, document), cues))
            if isinstance(entry, Found):
                yield from notices_of(row)
        else:
            reason = "not a scenario row: it needs id, title, source, created_at and messages"
            yield Skipped(row.item, reason, may_hide_memories=True)


def cues_beside(document: Document) -> tuple[dict[str, JsonObject], list[Skipped]]:
    """({memory id: its row in `cues.jsonl`}, the rows that cannot be read)."""
    cues: dict[str, JsonObject] = {}
    faults: list[Skipped] = []
    held = document.beside(CUES_FILE)
    if held is None:
        return cues, faults
    try:
        for row in rows_in(held) if held.first_character else ():
            if isinstance(row, Skipped):
                faults.append(replace(row, may_hide_memories=False))
            elif memory_id := id_at(row.fields, "id"):
                cues[memory_id] = row.fields
                faults += notices_of(row)
            else:
                faults.append(Skipped(row.item, "not a row of cues: it has no id"))
    except UnreadableError as error:
        faults.append(Skipped(held.item, f"the cues are not read: {error.reason}"))
    return cues, faults


def with_cues(entry: Found | Skipped, cues: Mapping[str, JsonObject]) -> Found | Skipped:
    """The memory with its cues from `cues.jsonl`, if it has any."""
    if isinstance(entry, Skipped) or entry.memory.memory_id not in cues:
        return entry
    row = cues[entry.memory.memory_id]
    memory = replace(
        entry.memory,
        cues=texts_at(row, "cues"),
        broad_cues=texts_at(row, "broad"),
        role=text_at(row, "role"),
        replaces=texts_at(row, "replaces"),
    )
    return replace(entry, memory=memory)
