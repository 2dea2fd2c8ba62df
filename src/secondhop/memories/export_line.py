"""One line of an export as it is read back: everything in it is checked before any of it counts."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from secondhop.errors import UsageError
from secondhop.given_values import shown
from secondhop.ingest.cleaning import clean_memory, clean_text
from secondhop.stores.counters import Counters
from secondhop.stores.keeping import NEUTRAL, Act, Keeping, Kind, Mark
from secondhop.stores.records import EarlierText, Memory, Message

MOST_COUNTED = 2**53
"""Recalls that a counter may tell of; a counter in the store has room for some more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """Something that was done to the memory of a line."""

    at: datetime
    act: Act
    other_id: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMemory:
    """What a line holds."""

    memory: Memory
    """As it would be stored: with clean texts."""
    keeping: Keeping
    history: tuple[Deed, ...]
    earlier: tuple[EarlierText, ...]
    """What it said before, the oldest first."""
    counters: Counters | None


def memory_of(line: str, number: int) -> ExportedMemory:
    """The memory of one line.

    Raises:
        UsageError: it is none; names the line and what is wrong.
    """
    try:
        return exported_in(_Line.model_validate(parsed(line)))
    except (ValueError, RecursionError) as error:
        raise unreadable(number, error) from error


def object_of(line: str, number: int) -> dict[str, object]:
    """The object of one line, whatever is in it.

    Raises:
        UsageError: it is none; names the line.
    """
    try:
        return _OBJECT.validate_python(parsed(line))
    except (ValueError, RecursionError) as error:
        raise unreadable(number, error) from error


def parsed(line: str) -> object:
    """What a line of JSON says.

    Raises:
        ValueError: it is no JSON, or holds a number that no computer reads.
    """
    found: object = json.loads(line)
    return found


def exported_in(told: "_Line") -> ExportedMemory:
    """The memory of a line whose values can be.

    Raises:
        ValueError: it has no id, or nobody says anything in it.
    """
    memory = said_in(told, told.id)
    if not memory.memory_id:
        raise ValueError("its id is empty")
    if not memory.messages:
        raise ValueError("it has no message with text")
    earlier = [(said_in(one, told.id), one) for one in told.earlier]
    if not all(before.messages for before, _ in earlier):
        raise ValueError("an earlier text of it has no message with text")
    return ExportedMemory(
        memory=memory,
        keeping=Keeping(**told.keeping.model_dump()),
        history=tuple(Deed(**one.model_dump()) for one in told.history),
        earlier=tuple(
            EarlierText(
                memory=before,
                replaced_at=one.replaced_at,
                replaced_by=clean_text(one.replaced_by),
            )
            for before, one in earlier
        ),
        counters=None if told.counters is None else Counters(**told.counters.model_dump()),
    )


def said_in(told: "_Said", memory_id: str) -> Memory:
    """What is said, as it would be stored: with clean texts."""
    return clean_memory(
        Memory(
            memory_id=memory_id,
            title=told.title,
            source=told.source,
            created_at=told.created_at,
            messages=tuple(Message(one.role, one.content) for one in told.messages),
            origin=told.origin,
            kind=told.kind,
            subject=told.subject,
            attribute=told.attribute,
            value=told.value,
            scope=told.scope,
        )
    )


def unreadable(number: int, error: Exception) -> UsageError:
    """What is said of a line that cannot be read."""
    return UsageError(
        f"line {number} of the export cannot be read: {fault_of(error)}; give a file as "
        f"`secondhop export` wrote it"
    )


def fault_of(error: Exception) -> str:
    """What is wrong with a line, in words; of several faults the first."""
    match error:
        case json.JSONDecodeError():
            return f"it is no JSON ({error.msg} at character {error.pos + 1}; was the file cut?)"
        case ValidationError():
            fault = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in fault["loc"])
            if fault["type"] == "missing":
                return f"it has no {place!r}"
            where = f"{place}: " if place else ""
            return f"it is no memory ({where}{fault['msg']}, not {shown(fault['input'])})"
        case RecursionError():
            return "it is nested too deeply"
        case _:
            return f"it is no memory ({error})"


def moment(told: object) -> datetime:
    """A moment of a line, in UTC; without a zone it is meant in UTC.

    Raises:
        ValueError: it is none.
    """
    found = written_at(told)
    try:
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("it lies outside the calendar in UTC") from error


def written_at(told: object) -> datetime:
    """The date of a memory, as it stands there.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(told, str):
        raise ValueError("a moment is a text like 2025-11-17T13:00:00+00:00")
    return datetime.fromisoformat(told)


_OBJECT = TypeAdapter(dict[str, object])

Moment = Annotated[datetime, BeforeValidator(moment)]
WrittenAt = Annotated[datetime, BeforeValidator(written_at)]
Salience = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, le=MOST_COUNTED)]


class _Told(BaseModel):
    """Takes nothing for something else: no number for a text, no key that would go unheard."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class _Message(_Told):
    role: str
    content: str


class _Keeping(_Told):
    valid_until: Moment | None = None
    salience: Salience = NEUTRAL
    deprecated_at: Moment | None = None
    deprecated_because: str = ""
    superseded_at: Moment | None = None
    superseded_by: str = ""
    mark: Mark = ""


class _Deed(_Told):
    at: Moment
    act: Act
    other_id: str = ""
    detail: str = ""


class _Counters(_Told):
    retrieved: Count = 0
    shown: Count = 0
    accepted: Count = 0
    accepted_at: Moment | None = None


class _Said(_Told):
    title: str
    source: str
    created_at: WrittenAt
    messages: list[_Message]
    origin: str = ""
    kind: Kind = "continuity"
    subject: str = ""
    attribute: str = ""
    value: str = ""
    scope: str = ""


class _Earlier(_Said):
    replaced_at: Moment
    replaced_by: str = ""


class _Line(_Said):
    id: str
    keeping: _Keeping = _Keeping()
    history: list[_Deed] = []
    earlier: list[_Earlier] = []
    counters: _Counters | None = None
