"""Checks the values that a program passes, so that the error names the mistake."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast, get_args

from secondhop.errors import UsageError
from secondhop.ingest.cleaning import clean_lines
from secondhop.memories.records import Fact, Preference
from secondhop.moments import in_utc
from secondhop.nodes.config import COUNT_LIMIT, TOKENS_LIMIT
from secondhop.nodes.recall_input import checked_count, checked_time
from secondhop.stores.keeping import Kind
from secondhop.stores.records import Memory, Message
from secondhop.wording import shown

_TEXTS = (
    "memory_id",
    "title",
    "source",
    "origin",
    "subject",
    "attribute",
    "value",
    "scope",
    "role",
)
_LISTS = ("cues", "broad_cues", "replaces", "tags")


def check_text(given: object, *, name: str) -> None:
    """Raises UsageError unless the value is a str."""
    if not isinstance(given, str):
        raise UsageError(f"{name} must be text (str), not {shown(given)}")


def check_id(given: object, *, name: str = "the id of a memory") -> None:
    """Raises UsageError unless the value is a str that is not blank and that UTF-8 can encode."""
    check_storable(given, name=name)
    if not str(given).strip():
        raise UsageError(f"{name} is empty")


def check_storable(given: object, *, name: str) -> None:
    """Raises UsageError unless the value is a str that UTF-8 can encode."""
    check_text(given, name=name)
    try:
        str(given).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{name} must be text that UTF-8 can encode, not {shown(given)}: its character "
            f"{error.start + 1} is half of a pair (a surrogate)"
        ) from error


def check_counts(**given: object) -> None:
    """Raises UsageError unless each value is an int from 1 to its limit, or None (the default)."""
    for name, count in given.items():
        checked_count(count, name=name, most=TOKENS_LIMIT if name == "tokens" else COUNT_LIMIT)


def check_moments(**given: object) -> None:
    """Raises UsageError unless each value is a datetime that UTC can express, or None."""
    for name, moment in given.items():
        if moment is None:
            continue
        if not isinstance(moment, datetime):
            raise UsageError(
                f"{name} must be a datetime, not {shown(moment)}; datetime.fromisoformat makes "
                f"one of a text like 2025-11-17T13:00+00:00; without a time zone, it is read as UTC"
            )
        checked_time(moment, name=name)


def utc_given(given: object, *, name: str) -> datetime | None:
    """The moment of a datetime, or of ISO 8601 text, in UTC; None for None. Raises UsageError if it
    is neither, or UTC cannot express it."""
    moment = checked_time(given, name=name)
    return moment and in_utc(moment)


def check_rememberable(given: object) -> None:
    """Raises UsageError unless the value is what `remember` takes: a str, Fact or Preference."""
    if not isinstance(given, (str, Fact, Preference)):
        raise UsageError(
            f"what to remember must be text (str), a Fact or a Preference, not {shown(given)}"
        )
    if isinstance(given, str):
        check_storable(given, name="what to remember")
        return
    for name, said in asdict(given).items():
        if not isinstance(said, str):
            raise UsageError(f"{name} of a {type(given).__name__} must be text, not {shown(said)}")
        check_storable(said, name=f"{name} of a {type(given).__name__}")


def only_memories(given: object) -> Iterator[Memory]:
    """The given memories one by one; raises UsageError at the first that is not a valid Memory."""
    if not isinstance(given, Iterable):
        raise UsageError(f"`add` takes several memories, for example a list, not {shown(given)}")
    for one in cast(Iterable[object], given):
        if not isinstance(one, Memory):
            raise UsageError(
                f"a memory to add must be a secondhop Memory, not {shown(one)}; "
                f"`remember` takes texts, `ingest` files"
            )
        check_memory(one)
        yield one


def check_memory(memory: Memory) -> None:
    """Raises UsageError if a field has a wrong type or value; the message names both."""
    given: Any = memory
    where = f"memory {shown(given.memory_id)}: " if given.memory_id else "a memory to add: "
    for name in _TEXTS:
        check_storable(getattr(given, name), name=where + name)
    if given.created_at is None:
        raise UsageError(f"{where}created_at must be a datetime, not None")
    check_moments(**{f"{where}created_at": given.created_at})
    if given.kind not in get_args(Kind):
        raise UsageError(
            f"{where}kind must be one of {', '.join(get_args(Kind))}, not {shown(given.kind)}"
        )
    for name in _LISTS:
        for one in listed(getattr(given, name), name=where + name, of="texts"):
            check_storable(one, name=f"{where}each of {name}")
    for message in listed(given.messages, name=f"{where}messages", of="Message(role, content)"):
        if not isinstance(message, Message):
            raise UsageError(f"{where}each of messages must be a Message, not {shown(message)}")
        check_storable(message.role, name=f"{where}the role of a message")
        check_storable(message.content, name=f"{where}the content of a message")


def listed(given: object, *, name: str, of: str) -> Iterable[object]:
    """The entries of a tuple or list; raises UsageError for anything else."""
    if not isinstance(given, tuple | list):
        raise UsageError(f"{name} must be a tuple or list of {of}, not {shown(given)}")
    return cast(Iterable[object], given)


def tags_given(given: object) -> tuple[str, ...]:
    """Clean tags without repeats; raises UsageError unless given a tuple or list of texts."""
    tags = listed(given, name="tags", of="texts")
    for one in tags:
        check_storable(one, name="each of tags")
    return clean_lines([str(one) for one in tags])


def given_paths(given: Iterable[object]) -> list[str | os.PathLike[str]]:
    """Paths in one list, whether given one by one or in lists.

    Raises UsageError for anything that is not a str or path.
    """
    paths: list[str | os.PathLike[str]] = []
    for one in given:
        if isinstance(one, list | tuple):
            paths += given_paths(cast(Iterable[object], one))
        elif isinstance(one, str | os.PathLike):
            paths.append(cast("str | os.PathLike[str]", one))
        else:
            raise UsageError(f"a path to ingest must be a str or Path, not {shown(one)}")
    return paths
