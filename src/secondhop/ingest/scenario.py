"""The scenario format: `conversations.jsonl` with id, title, source, created_at and messages."""

from collections.abc import Iterator

from secondhop.ingest.json_text import JsonObject, id_at, text_at
from secondhop.ingest.jsonl import found_in
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.ingest.rows import rows_in


def is_scenario_row(row: JsonObject) -> bool:
    """Whether a row has all that the format asks for."""
    named = id_at(row, "id") and text_at(row, "source") and "created_at" in row and "title" in row
    return bool(named) and isinstance(row.get("messages"), list)


def read_scenario(document: Document) -> Iterator[Found | Skipped]:
    """One row a memory; a row that lacks a field of the format is skipped."""
    for row in rows_in(document):
        if isinstance(row, Skipped):
            yield row
        elif is_scenario_row(row.fields):
            yield found_in(row, document)
        else:
            reason = "not a scenario row: it needs id, title, source, created_at and messages"
            yield Skipped(row.item, reason, may_hide_memories=True)
