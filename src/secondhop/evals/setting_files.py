"""Reads settings from texts like "ranking.min_score=0.3", and from files."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TypeGuard
from warnings import warn

import yaml
from pydantic import TypeAdapter, ValidationError

from secondhop.errors import UsageError, said_by_system
from secondhop.nodes.config import Config, fault_of

_CONFIG = TypeAdapter(Config)


def load_config(path: str | Path) -> Config:
    """The default settings, changed by a file, for `Recall.open(config=...)`.

    Raises:
        UsageError: the file cannot be read, holds no settings, or has an invalid one.
    """
    return changed_settings(read_setting_changes(Path(path).expanduser()))


def changed_settings(changes: Sequence[str]) -> Config:
    """The default settings with some of them changed.

    Args:
        changes: texts like "ranking.min_score=0.3"; later ones win.

    Raises:
        UsageError: an unknown setting, or an invalid value.
    """
    parts: dict[str, dict[str, str]] = {}
    known = list(Config().flat())
    for change in changes:
        name, value = parsed_change(change, known=known)
        part, _, setting = name.partition(".")
        parts.setdefault(part, {})[setting] = value
    try:
        return _CONFIG.validate_python(parts)
    except ValidationError as error:
        raise UsageError(fault_of(error)) from error


def parsed_change(change: str, *, known: Sequence[str]) -> tuple[str, str]:
    """(name, value) of "name=value"."""
    name, equals, value = (part.strip() for part in change.partition("="))
    if not equals or not value:
        raise UsageError(f"{change!r} sets nothing; write NAME=VALUE, like ranking.min_score=0.3")
    if name not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise UsageError(f"no setting {name!r}; {hint}")
    return name, value


def settings_said(said: Sequence[str]) -> list[str]:
    """The changes as "NAME=VALUE" texts; an item without "=" is a settings file. Later ones win."""
    changes, known = list[str](), Config().flat()
    for one in said:
        is_file = "=" not in one and one not in known
        changes += read_setting_changes(Path(one).expanduser()) if is_file else [one]
    return changes


def read_setting_changes(path: Path) -> list[str]:
    """The settings of a YAML or JSON file as "NAME=VALUE" texts, in the file's order.

    Names and values are not checked here; `changed_settings` checks them.

    Raises:
        UsageError: it cannot be read, or holds no settings; names the file and the line.
    """
    try:
        found: object = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {said_by_system(error)}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        said = getattr(error, "problem", None) or str(error)
        raise UsageError(f"{where}: not YAML or JSON: {said}") from error
    if not is_part(found) or not found:
        raise UsageError(f"{path} holds no settings; write a line like ranking.min_score: 0.3")
    return [f"{name}={written(value)}" for name, value in flat(found)]


def flat(settings: Mapping[str, object], *, part: str = "") -> Iterator[tuple[str, object]]:
    """(dotted name, value) pairs of a nested mapping, like ("ranking.min_score", 0.3)."""
    for name, value in settings.items():
        if is_part(value):
            yield from flat(value, part=f"{part}{name}.")
        else:
            yield f"{part}{name}", value


def is_part(value: object) -> TypeGuard[Mapping[str, object]]:
    """Whether a value is a mapping of settings."""
    return isinstance(value, Mapping)


def written(value: object) -> str:
    """A value as text; booleans in lower case, as in YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def __getattr__(name: str) -> object:
    """`load_recall_settings`, the name of `load_config` in version 0.1; removed in 0.3."""
    if name != "load_recall_settings":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn(f"{name} is deprecated; use secondhop.load_config", DeprecationWarning, stacklevel=2)
    return load_config
