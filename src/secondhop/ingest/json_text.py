"""Parses JSON from unknown sources; every failure becomes a ValueError."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias, cast

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, "Json"]

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


def parse_json(text: str) -> Json:
    """Parse one JSON value.

    Raises:
        ValueError: it is broken or nested too deeply; the message names line and column.
    """
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _in_words(error) from error
    return value


def parse_elements(parts: Iterable[str]) -> Iterator[Json]:
    """The values of a JSON array whose text comes in parts, one at a time.

    Raises:
        ValueError: as in `parse_json`; the values before the broken place were yielded by then.
    """
    window = _Window(parts)
    try:
        window.expect("[")
        more = not window.takes("]")
        while more:
            yield window.value()
            more = window.takes(",")
            if not more:
                window.expect("]")
        if not window.is_at_end():
            raise json.JSONDecodeError("Extra data", window.text, window.at)
    except (ValueError, RecursionError) as error:
        raise _in_words(error, line=window.line, column=window.column) from error


class _Window:
    """A sliding window over a text that comes in parts."""

    def __init__(self, parts: Iterable[str]) -> None:
        self._parts = iter(parts)
        self.text, self.at = "", 0
        self.line, self.column = 1, 1
        """Where `text` begins in the whole text."""

    def value(self) -> Json:
        """Read the next JSON value."""
        self._beyond_space()
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError:
                if not self._widen():
                    raise
                continue
            if end < len(self.text) or not self._widen():  # a number may continue in the next part
                self.at = end
                return cast(Json, value)

    def takes(self, mark: str) -> bool:
        """Whether this mark comes next; if so, consume it."""
        self._beyond_space()
        found = self.text.startswith(mark, self.at)
        self.at += found
        return found

    def expect(self, mark: str) -> None:
        """Consume this mark. Raises JSONDecodeError if something else comes next."""
        if not self.takes(mark):
            raise json.JSONDecodeError(f"Expecting {mark!r}", self.text, self.at)

    def is_at_end(self) -> bool:
        """Whether only white space is left."""
        self._beyond_space()
        return self.at == len(self.text)

    def _beyond_space(self) -> None:
        while True:
            found = _SPACE.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text) or not self._widen():
                return

    def _widen(self) -> bool:
        """Drop the text already read, and append parts until the rest has at least doubled. False
        at the end. Doubling means that a long value is parsed only a few times."""
        taken: list[str] = []
        left = len(self.text) - self.at
        while not taken or sum(map(len, taken)) < left:
            part = next(self._parts, None)
            if part is None:
                break
            taken.append(part)
        if not taken:
            return False
        behind = self.text[: self.at]
        self.line += behind.count("\n")
        self.column = len(behind) - behind.rfind("\n") + (self.column - 1) * ("\n" not in behind)
        self.text, self.at = "".join([self.text[self.at :], *taken]), 0
        return True


def _in_words(error: ValueError | RecursionError, *, line: int = 1, column: int = 1) -> ValueError:
    """The error with its place in the whole text; the parser saw it from `line`, `column` on."""
    if isinstance(error, RecursionError):
        return ValueError("nested too deeply")
    if not isinstance(error, json.JSONDecodeError):  # `int` refused the digits
        return ValueError("it holds a number of too many digits")
    beside = column - 1 if error.lineno == 1 else 0
    place = f"line {line + error.lineno - 1}, column {beside + error.colno}"
    return ValueError(f"{error.msg} at {place}")


def parse_object(text: str) -> JsonObject | None:
    """The JSON object in `text`; None if it is broken or something else."""
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def text_at(row: JsonObject, *keys: str) -> str:
    """The first of these fields that holds a non-blank text; "" if none does."""
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def texts_at(row: JsonObject, key: str) -> tuple[str, ...]:
    """The texts in the list at `key`; () if there is no list."""
    value = row.get(key)
    return tuple(part for part in value if isinstance(part, str)) if isinstance(value, list) else ()


def objects_at(row: JsonObject, key: str) -> list[JsonObject]:
    """The objects in the list at `key`; [] if there is no list."""
    value = row.get(key)
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def object_at(row: JsonObject, key: str) -> JsonObject:
    """The object at `key`; {} if there is none."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def id_at(row: JsonObject, *keys: str) -> str:
    """The first of these fields that can be an id (text or an integer), as text; "" if none can."""
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""
