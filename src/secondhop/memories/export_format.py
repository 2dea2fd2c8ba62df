"""The format of an export: a header, one record per memory, and a last line with their number.

Each is a line of JSON. Values that are the default are left out.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    field_validator,
    model_validator,
)

from secondhop.clean_text import clean_text
from secondhop.errors import UsageError
from secondhop.ingest.cleaning import clean_memory
from secondhop.moments import in_utc
from secondhop.stores.counters import Counters
from secondhop.stores.cues import MOST_VOTES, Annotation, Breadth, Cue, CueOrigin, cue_fault
from secondhop.stores.keeping import NEUTRAL, Act, HistoryEntry, Keeping, Kind, Mark
from secondhop.stores.records import EarlierText, Memory, Message
from secondhop.wording import shown

VERSION: Final = 2
MOST_COUNTED = 2**53
"""The highest number that a counter may have."""


def utc_moment(given: object) -> datetime:
    """A moment of an export, in UTC also if it names no zone. Raises ValueError for others."""
    if isinstance(given, str):
        given = datetime.fromisoformat(given)
    if not isinstance(given, datetime):
        raise ValueError("a moment must be text like 2025-11-17T13:00:00+00:00")
    try:
        return in_utc(given)
    except OverflowError as error:
        raise ValueError("it lies outside the calendar in UTC") from error


Moment = Annotated[datetime, BeforeValidator(utc_moment)]
Count = Annotated[int, Field(ge=0, le=MOST_COUNTED)]


class Record(BaseModel):
    """One line of an export, or a part of one. Rejects wrong types and unknown names."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", from_attributes=True)

    def line(self) -> str:
        """As JSON in ASCII with sorted names: the same record is always the same bytes."""
        told = self.model_dump(exclude_defaults=True)
        return json.dumps(told, sort_keys=True, ensure_ascii=True, default=datetime.isoformat)


class Header(Record):
    """The first line."""

    format: Literal["secondhop.memories"]
    version: Literal[2]
    settings: dict[str, JsonValue] = {}
    """Version 0.1 kept some with an entity. They are not imported."""


class End(Record):
    """The last line: the number of memories before it."""

    end: Literal["secondhop.memories"]
    memories: Annotated[int, Field(ge=0)]


class MessageRecord(Record):
    """One message."""

    role: str
    content: str


class KeepingRecord(Record):
    """The status of the memory: `Keeping`."""

    valid_until: Moment | None = None
    salience: Annotated[float, Field(ge=0, le=1)] = NEUTRAL
    deprecated_at: Moment | None = None
    deprecated_because: str = ""
    superseded_at: Moment | None = None
    superseded_by: str = ""
    mark: Mark = ""


class EventRecord(Record):
    """Something that was done to the memory: `HistoryEntry`."""

    at: Moment
    act: Act
    other_id: str = ""
    detail: str = ""


class CountersRecord(Record):
    """How often it was retrieved, shown and accepted: `Counters`."""

    retrieved: Count = 0
    shown: Count = 0
    accepted: Count = 0
    accepted_at: Moment | None = None


class CueRecord(Record):
    """Text and breadth of a cue."""

    text: str
    breadth: Breadth = "specific"

    @model_validator(mode="after")
    def _is_a_cue(self) -> Self:
        if fault := cue_fault(self.text, origin=getattr(self, "origin", "host")):
            raise ValueError(f"a cue cannot be stored: {fault}")
        return self


class Written(Record):
    """Who wrote something about a memory, and when."""

    origin: CueOrigin = "host"
    prompt: str = ""
    model: str = ""
    written_at: Moment | None = None


class AddedCueRecord(CueRecord, Written):
    """A cue that was added one by one, or by a session: `Cue`."""

    proved: Annotated[float, Field(ge=-MOST_VOTES, le=MOST_VOTES)] = 0.0


class AnnotationRecord(Written):
    """One origin's annotation of the memory: `Annotation`."""

    cues: tuple[CueRecord, ...] = ()
    role: str = ""
    replaces: tuple[str, ...] = ()

    def annotation(self, memory: Memory) -> Annotation:
        """The annotation, for this memory."""
        written = {name: getattr(self, name) for name in Written.model_fields}
        return Annotation(
            memory_id=memory.memory_id,
            content_hash=memory.content_hash,
            cues=tuple(
                Cue(memory_id=memory.memory_id, text=one.text, breadth=one.breadth, **written)
                for one in self.cues
            ),
            role=self.role,
            replaces=self.replaces,
            **written,
        )


class TextRecord(Record):
    """What a memory says, without its id."""

    title: str
    source: str
    created_at: Moment
    messages: tuple[MessageRecord, ...]
    origin: str = ""
    kind: Kind = "continuity"
    subject: str = ""
    attribute: str = ""
    value: str = ""
    scope: str = ""
    tags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not any(clean_text(one.content).strip() for one in self.messages):
            raise ValueError("it has no message with text")
        return self

    def memory(self, memory_id: str) -> Memory:
        """The memory to store, with clean texts."""
        said = {name: getattr(self, name) for name in TextRecord.model_fields}
        said["messages"] = tuple(Message(one.role, one.content) for one in self.messages)
        return clean_memory(Memory(memory_id=memory_id, **said))


class EarlierRecord(TextRecord):
    """An earlier text of the memory: `EarlierText`."""

    replaced_at: Moment
    replaced_by: str = ""


class MemoryRecord(TextRecord):
    """One memory, with everything that is kept of it."""

    id: str
    keeping: KeepingRecord = KeepingRecord()
    history: tuple[EventRecord, ...] = ()
    earlier: tuple[EarlierRecord, ...] = ()
    """The oldest first."""
    counters: CountersRecord = CountersRecord()
    annotations: tuple[AnnotationRecord, ...] = ()
    cues: tuple[AddedCueRecord, ...] = ()
    """Those that belong to no annotation."""

    @field_validator("id")
    @classmethod
    def _names_it(cls, given: str) -> str:
        if not (cleaned := clean_text(given).strip()):
            raise ValueError("its id is empty")
        return cleaned

    @classmethod
    def of(
        cls,
        memory: Memory,
        *,
        keeping: Keeping,
        history: Sequence[HistoryEntry],
        earlier: Sequence[EarlierText],
        counters: Counters,
        annotations: Sequence[Annotation],
        cues: Sequence[Cue],
    ) -> Self:
        """The record of a stored memory; `cues` are all its cues."""
        annotated = {cue.cue_id for annotation in annotations for cue in annotation.cues}
        before = [
            {**_said(one.memory), "replaced_at": one.replaced_at, "replaced_by": one.replaced_by}
            for one in earlier
        ]
        return cls.model_validate(
            {
                **_said(memory),
                "id": memory.memory_id,
                "keeping": keeping,
                "history": tuple(history),
                "earlier": tuple(before),
                "counters": counters,
                "annotations": tuple(annotations),
                "cues": tuple(cue for cue in cues if cue.cue_id not in annotated),
            }
        )

    def stored(self) -> Memory:
        """The memory to store."""
        return self.memory(self.id)

    def earlier_texts(self) -> list[EarlierText]:
        """Its earlier texts, oldest first."""
        return [
            EarlierText(
                memory=one.memory(self.id),
                replaced_at=one.replaced_at,
                replaced_by=clean_text(one.replaced_by),
            )
            for one in self.earlier
        ]


def _said(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in TextRecord.model_fields}


R = TypeVar("R", bound=BaseModel)


def record_of(kind: type[R], line: str, number: int) -> R:
    """The record in line `number` of an export.

    Raises:
        UsageError: there is no such record; the message says which line is wrong, and why.
    """
    try:
        return kind.model_validate_json(line)
    except ValueError as error:
        fault = fault_of(error) if isinstance(error, ValidationError) else str(error)
        raise UsageError(
            f"line {number} of the export cannot be read: {fault}; give a file as "
            f"`secondhop export` wrote it"
        ) from error


def fault_of(error: ValidationError) -> str:
    """What is wrong with a line, in words. If several things are, the first."""
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    reason = fault.get("ctx", {}).get("error", "")
    if fault["type"] == "json_invalid":
        return f"it is not JSON ({reason}; was the file cut off?)"
    if fault["type"] == "missing":
        return f"it has no {place!r}"
    where = f"{place}: " if place else ""
    if fault["type"] == "value_error":
        return f"it is not a memory ({where}{reason})"
    return f"it is not a memory ({where}{fault['msg']}, not {shown(fault['input'])})"
