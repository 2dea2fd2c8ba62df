"""What stands around the memories of an export: what it is, and how many lines it should have."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from secondhop.errors import UsageError
from secondhop.memories.export_line import object_of

FORMAT = "secondhop.memories"
VERSION = 2
UNCOUNTED = 1
"""The version whose exports do not say how many memories they hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Framed:
    """The memories of an export, as lines."""

    lines: list[tuple[int, str]]
    """(number in the export, from 1; the line)."""
    counted: bool
    """Whether they are known to be all; False for an export of an older secondhop."""


def line_of(entry: Mapping[str, Any]) -> str:
    """ASCII, keys in order: the same entry is always the same bytes."""
    return json.dumps(entry, sort_keys=True, ensure_ascii=True, default=datetime.isoformat)


def header_line(also: Mapping[str, Any] | None = None) -> str:
    """The first line, with what else it should say."""
    return line_of({"format": FORMAT, "version": VERSION, **(also or {})})


def closing_line(memories: int) -> str:
    """The last line: how many memories stand before it."""
    return line_of({"end": FORMAT, "memories": memories})


def unframed(lines: Iterable[str]) -> Framed:
    """What stands between the first line and the last; nothing of it is looked at.

    Raises:
        UsageError: no header of ours, or not as many lines as there should be.
    """
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    version = version_in(numbered[0][1]) if numbered and numbered[0][0] == 1 else None
    if version == UNCOUNTED:
        return Framed(lines=numbered[1:], counted=False)
    if version != VERSION:
        raise UsageError(
            f"this is no export of version {VERSION}, or of an older one; its first line must be "
            f"{header_line()}"
        )
    last_number, last = numbered[-1]
    memories = numbered[1:-1]
    expected = count_in(object_of(last, last_number))
    if expected != len(memories):
        said = f"says {expected}" if expected is not None else "does not say how many it holds"
        held = len(memories) if expected is not None else len(numbered) - 1
        raise UsageError(
            f"the export is not whole: it holds {held} memories, and its last line {said}; "
            f"nothing was imported: copy all of the file, or export it again"
        )
    return Framed(lines=memories, counted=True)


def version_in(line: str) -> object:
    """The version that a header names; None for what is no header of ours.

    Raises:
        UsageError: the line cannot be read.
    """
    told = object_of(line, 1)
    return told.get("version") if told.get("format") == FORMAT else None


def count_in(told: Mapping[str, object]) -> int | None:
    """How many memories a last line tells of; None for another line."""
    count = told.get("memories")
    is_last = told.get("end") == FORMAT and isinstance(count, int) and not isinstance(count, bool)
    return count if is_last and isinstance(count, int) else None
