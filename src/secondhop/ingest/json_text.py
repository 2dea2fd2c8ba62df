"""JSON as strangers write it: parsed with one kind of error, looked into without trust."""

import json
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, "Json"]

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


def parse_json(text: str) -> Json:
    """Parse one JSON value.

    Raises:
        ValueError: it is broken or nested too deeply; the message names line and column.
    """
    with _errors_in_words():
        value: Json = json.loads(text)
        return value


def parse_elements(text: str) -> Iterator[Json]:
    """The values of a JSON array, one by one: not all of them are held at once.

    Raises:
        ValueError: as of `parse_json`; what stands before the break has been given by then.
    """
    with _errors_in_words():
        at = _beyond_space(text, _expect(text, "[", _beyond_space(text, 0)))
        more = not text.startswith("]", at)
        while more:
            value, at = _DECODER.raw_decode(text, at)
            yield value
            at = _beyond_space(text, at)
            more = text.startswith(",", at)
            if more:
                at = _beyond_space(text, at + 1)
        end = _beyond_space(text, _expect(text, "]", at))
        if end < len(text):
            raise json.JSONDecodeError("Extra data", text, end)


def _beyond_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _expect(text: str, mark: str, at: int) -> int:
    if not text.startswith(mark, at):
        raise json.JSONDecodeError(f"Expecting {mark!r}", text, at)
    return at + 1


@contextmanager
def _errors_in_words() -> Generator[None, None, None]:
    try:
        yield
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"{error.msg} at {place}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse_object(text: str) -> JsonObject | None:
    """The object that `text` is, or None when it is broken or something else."""
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def text_at(row: JsonObject, *keys: str) -> str:
    """The first of these fields that holds a text with more than spaces; "" when none does."""
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def texts_at(row: JsonObject, key: str) -> tuple[str, ...]:
    """The texts in the list at `key`; () when there is no such list."""
    value = row.get(key)
    return tuple(part for part in value if isinstance(part, str)) if isinstance(value, list) else ()


def objects_at(row: JsonObject, key: str) -> list[JsonObject]:
    """The objects in the list at `key`; [] when there is no such list."""
    value = row.get(key)
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def object_at(row: JsonObject, key: str) -> JsonObject:
    """The object at `key`; an empty one when there is none."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def id_at(row: JsonObject, *keys: str) -> str:
    """The first of these fields that can be an id (a text or a whole number); "" when none can."""
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""
