"""The objects of a JSON or JSON Lines document, one by one, each with its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from secondhop.ingest.json_text import JsonObject, parse_elements, parse_json, parse_object
from secondhop.ingest.reading import Document, Skipped, UnreadableError, broken_json

_NO_SPACE = re.compile(r"\S")
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
        yield from _lines(document.text, document.item)
    elif _is_array(document.text):
        document.check_array()
        for position, value in enumerate(parse_elements(document.text)):
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


def _is_array(text: str) -> bool:
    return text.startswith("[", _first_of(text, 0))


def _has_lines(document: Document) -> bool:
    text, named_so = document.text, document.suffix in LINES_SUFFIXES
    start = _first_of(text, 0)
    end = text.find("\n", start)
    if end < 0 or _first_of(text, end) == len(text):
        return named_so and not text.startswith("[", start)
    if parse_object(text[start:end]) is not None:
        return True
    return named_so and not _is_whole(document)


def _first_of(text: str, at: int) -> int:
    """Where something else than space stands from there on."""
    found = _NO_SPACE.search(text, at)
    return found.start() if found else len(text)


def _is_whole(document: Document) -> bool:
    try:
        if _is_array(document.text):
            document.check_array()
        else:
            _whole_object(document)
    except UnreadableError:
        return False
    return True


def _lines(text: str, place: str) -> Iterator[Row | Skipped]:
    for number, line in enumerate(_split(text), start=1):
        if not line.strip():
            continue
        item = f"{place} line {number}"
        try:
            value = parse_json(line)
        except ValueError as error:
            reason = f"broken JSON: {str(error).replace('line 1, ', '')}"
            yield Skipped(item, reason, may_hide_memories=True)
            continue
        yield Row(value, item) if isinstance(value, dict) else Skipped(item, "not an object")


def _split(text: str) -> Iterator[str]:
    """Its lines, one by one."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]
