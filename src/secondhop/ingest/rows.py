"""The objects of a JSON or JSON Lines document, one by one, each with its place."""

from collections.abc import Iterator
from dataclasses import dataclass

from secondhop.ingest.json_text import JsonObject, parse_json, parse_object
from secondhop.ingest.reading import Document, Skipped, UnreadableError

LINES_SUFFIXES = frozenset({".jsonl", ".ndjson"})


@dataclass(frozen=True, slots=True)
class Row:
    """One object, and where it stands."""

    fields: JsonObject
    item: str


def rows_in(document: Document) -> Iterator[Row | Skipped]:
    """The objects of an array, of lines, or the one object that the document is.

    A broken line is skipped by its number, the others are kept; a broken array is broken as a
    whole (UnreadableError): its cut-off end may have held more memories.
    """
    if _has_lines(document):
        yield from _rows_of_lines(document)
        return
    whole = document.json
    if isinstance(whole, list):
        for position, value in enumerate(whole):
            item = f"{document.item} [{position}]"
            yield Row(value, item) if isinstance(value, dict) else Skipped(item, "not an object")
    elif isinstance(whole, dict):
        yield Row(whole, document.item)
    else:
        raise UnreadableError("JSON, but neither a list nor an object")


def _has_lines(document: Document) -> bool:
    named_so = document.suffix in LINES_SUFFIXES
    if document.first_character == "[":
        return named_so and not _is_whole(document)
    filled = (line for line in document.text.split("\n") if line.strip())
    first, second = next(filled, ""), next(filled, "")
    if not second:
        return named_so
    return parse_object(first) is not None or (named_so and not _is_whole(document))


def _is_whole(document: Document) -> bool:
    try:
        return isinstance(document.json, list | dict)
    except UnreadableError:
        return False


def _rows_of_lines(document: Document) -> Iterator[Row | Skipped]:
    for number, line in enumerate(document.text.split("\n"), start=1):
        if not line.strip():
            continue
        item = f"{document.item} line {number}"
        try:
            value = parse_json(line)
        except ValueError as error:
            reason = f"broken JSON: {str(error).replace('line 1, ', '')}"
            yield Skipped(item, reason, may_hide_memories=True)
            continue
        yield Row(value, item) if isinstance(value, dict) else Skipped(item, "not an object")
