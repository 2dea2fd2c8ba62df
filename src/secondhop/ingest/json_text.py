"""JSON as strangers write it: parsed with one kind of error, looked into without trust."""

import json
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, "Json"]


def parse_json(text: str) -> Json:
    """Parse one JSON value.

    Raises:
        ValueError: it is broken or nested too deeply; the message names line and column.
    """
    try:
        value: Json = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


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
