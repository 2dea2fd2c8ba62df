"""Reads the objects of a JSON or JSON Lines document one at a time, with their places."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from secondhop.ingest.json_text import JsonObject, parse_elements, parse_json, parse_object
from secondhop.ingest.reading import Document, Skipped, UnreadableError, broken_json

LINES_SUFFIXES = frozenset({".jsonl", ".ndjson"})


@dataclass(frozen=True, slots=True)
class Row:
    """One object and its place in the document."""

    fields: JsonObject
    item: str


def rows_in(document: Document) -> Iterator[Row | Skipped]:
    """The objects of an array or of lines, or the single object that the document is.

    A broken line is skipped, and its number is reported. A broken array raises UnreadableError
    before any row is yielded, because its missing end may have held more memories.
    """
    if _has_lines(document):
        yield from _rows_of_lines(document)
    elif document.first_character == "[":
        document.check_array()
        for position, value in enumerate(parse_elements(document.parts())):
            item = f"{document.item} [{position}]"
            yield Row(value, item) if isinstance(value, dict) else Skipped(item, "not an object")
    else:
        yield Row(_whole_object(document), document.item)


def _whole_object(document: Document) -> JsonObject:
    try:
        value = parse_json(document.text)
    except ValueError as error:
        raise broken_json(error) from error
    if not isinstance(value, dict):
        raise UnreadableError("JSON, but neither a list nor an object")
    return value


def _has_lines(document: Document) -> bool:
    if document.first_character == "[":
        return False
    if document.suffix in LINES_SUFFIXES:
        return True
    filled = (line for line in _lines(document.parts()) if line.strip())
    first, second = next(filled, ""), next(filled, "")
    return bool(second) and parse_object(first) is not None


def _rows_of_lines(document: Document) -> Iterator[Row | Skipped]:
    for number, line in enumerate(_lines(document.parts()), start=1):
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


def _lines(parts: Iterable[str]) -> Iterator[str]:
    """The lines of a text that comes in parts, one at a time."""
    begun: list[str] = []
    for part in parts:
        start = 0
        while (end := part.find("\n", start)) >= 0:
            yield "".join([*begun, part[start:end]])
            begun, start = [], end + 1
        begun.append(part[start:])
    yield "".join(begun)
