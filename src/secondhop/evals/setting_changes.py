"""Recall settings out of a trace, and changed by hand: "ranking.min_score=0.3"."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter, ValidationError

from secondhop.errors import UsageError
from secondhop.nodes.config import Config
from secondhop.nodes.entity_config import told


def _adapter(group: object) -> TypeAdapter[Any]:
    """Checks values of a group's fields."""
    return TypeAdapter[Any](type(group))


_GROUPS: Mapping[str, TypeAdapter[Any]] = {
    field.name: _adapter(getattr(Config(), field.name)) for field in fields(Config)
}


def changed_settings(recorded: Mapping[str, object], changes: Sequence[str]) -> Config:
    """The settings that a trace recorded, with some of them changed.

    Args:
        recorded: {"limits.k": 6, …}; what this version does not know is left out, and what the
            trace does not say has its default.
        changes: "ranking.min_score=0.3", each.

    Raises:
        UsageError: no such setting, or a value that it cannot have.
    """
    values: dict[str, Any] = Config().flat()
    values |= {name: value for name, value in recorded.items() if name in values}
    values |= dict(parsed_change(change, known=list(values)) for change in changes)
    try:
        return Config(
            **{name: group.validate_python(part(values, name)) for name, group in _GROUPS.items()}
        )
    except ValidationError as error:
        raise UsageError(told(error)) from error


def parsed_change(change: str, *, known: Sequence[str]) -> tuple[str, str]:
    """(name, value) of "name=value".

    Raises:
        UsageError: it has another form, or there is no such setting.
    """
    name, equals, value = (part.strip() for part in change.partition("="))
    if not equals or not value:
        raise UsageError(f"{change!r} sets nothing; write NAME=VALUE, like ranking.min_score=0.3")
    if name not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise UsageError(f"no setting {name!r}; {hint}")
    return name, value


def part(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The settings of one part, without its name before them."""
    return {
        key.removeprefix(f"{name}."): value
        for key, value in values.items()
        if key.startswith(f"{name}.")
    }
