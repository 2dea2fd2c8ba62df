"""A file `cues.jsonl` beside `conversations.jsonl`: its cues, by memory id, as in
`examples/scenarios`."""

from dataclasses import replace
from typing import Final

from secondhop.ingest.json_text import JsonObject, id_at
from secondhop.ingest.reading import Document, Skipped, UnreadableError
from secondhop.ingest.rows import rows_in

MEMORIES_FILE: Final = "conversations.jsonl"
CUES_FILE: Final = "cues.jsonl"
CUE_FIELDS: Final = ("cues", "broad", "role", "replaces")


def cues_beside(document: Document) -> tuple[dict[str, JsonObject], list[Skipped]]:
    """({memory id: the `CUE_FIELDS` of its row in `cues.jsonl`}, the rows that cannot be read)."""
    cues: dict[str, JsonObject] = {}
    faults: list[Skipped] = []
    held = document.beside(CUES_FILE) if document.name == MEMORIES_FILE else None
    if held is None:
        return cues, faults
    try:
        for row in rows_in(held) if held.first_character else ():
            if isinstance(row, Skipped):
                faults.append(replace(row, may_hide_memories=False))
            elif memory_id := id_at(row.fields, "id"):
                cues[memory_id] = {
                    name: row.fields[name] for name in CUE_FIELDS if name in row.fields
                }
            else:
                faults.append(Skipped(row.item, "not a row of cues: it has no id"))
    except UnreadableError as error:
        faults.append(Skipped(held.item, f"the cues are not read: {error.reason}"))
    return cues, faults
