"""Lenient fields for a model's reply: values are cut to limits, and small mistakes repaired.

Defaults are factories, because strict structured output refuses a JSON schema with defaults.
"""

from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import BeforeValidator, Field

LINE_CHARS = 300
"""Longer lines are cut."""

ROWS = 200
"""Longer lists are cut."""


def as_line(value: object) -> str:
    """One line of text; "" for a value that is not text or a number.

    >>> as_line("two\\n lines"), as_line(None), as_line(7), as_line({"a": 1})
    ('two lines', '', '7', '')
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return ""
    return " ".join(value[: 4 * LINE_CHARS].split())[:LINE_CHARS]


def as_lines(value: object) -> list[str]:
    """The lines of a list, or one text as a list; empty lines are left out.

    >>> as_lines("one"), as_lines(["a", None, " "]), as_lines(None)
    (['one'], ['a'], [])
    """
    rows = cast(list[object], value) if isinstance(value, list) else [value]
    return [line for line in map(as_line, rows[:ROWS]) if line]


def as_words(value: object) -> list[str]:
    """The words of a list, or of one text, split at commas and spaces.

    >>> as_words("e1, e2"), as_words(["e1", "e2"])
    (['e1', 'e2'], ['e1', 'e2'])
    """
    return [word for line in as_lines(value) for word in line.replace(",", " ").split()]


def as_rows(value: object) -> list[Mapping[str, object]]:
    """The objects of a list; other entries are left out. One object counts as a list of one."""
    rows = cast(list[object], value) if isinstance(value, list) else [value]
    return [cast(Mapping[str, object], row) for row in rows[:ROWS] if isinstance(row, Mapping)]


def holding_list(value: object, key: str, *, wanted: str) -> Mapping[str, object]:
    """The object, which must hold a list under `key`; a bare list is put under `key`. Raises
    ValueError if there is no list; `wanted` is the message and tells the model what to give."""
    if isinstance(value, list):
        return {key: cast(list[object], value)}
    found: Mapping[str, object] = {}
    if isinstance(value, Mapping):
        found = cast(Mapping[str, object], value)
    if not isinstance(found.get(key), list):
        raise ValueError(wanted)
    return found


def as_flag(value: object) -> bool | None:
    """True for yes, False for no or stop, None for anything else."""
    if isinstance(value, bool):
        return value
    words = {"true": True, "yes": True, "false": False, "no": False, "stop": False}
    return words.get(as_line(value).casefold().rstrip("."))


Line = Annotated[str, BeforeValidator(as_line), Field(default_factory=str)]
Lines = Annotated[list[str], BeforeValidator(as_lines), Field(default_factory=list)]
Ids = Annotated[list[str], BeforeValidator(as_words), Field(default_factory=list)]
