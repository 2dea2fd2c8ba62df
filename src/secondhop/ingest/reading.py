"""What every reader takes and gives: a document in, memories and skipped items out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeAlias

from secondhop.errors import IngestError
from secondhop.ingest.decode import Encoding, Read, decoded, encoding_of
from secondhop.ingest.json_text import parse_elements
from secondhop.stores.records import Memory

_HELD_BYTES = 4_000_000
"""A larger file is read part by part, each time that it is read."""

NEW_CHAT = "New Chat"
"""Title of a conversation that its owner never named; some products write "New chat"."""


def is_named(title: str) -> bool:
    """Whether a title says anything."""
    return title.casefold() not in {"", NEW_CHAT.casefold()}


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not stored as it stands, and why."""

    item: str
    """Where it stands: a path, and the line or the conversation in it."""
    reason: str
    may_hide_memories: bool = False
    """Memories stored from it earlier may still be in there: nothing is taken for deleted."""
    is_notice: bool = False
    """It is about a part of a memory: the memory itself is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One memory that a reader found."""

    memory: Memory
    item: str
    """Where it stands, for the ledger."""
    updated_at: datetime | None = None
    """When the format says so: of two copies with one id, the later one wins."""
    named_by_path: bool = False
    """Its id is a relative path, which another folder may use too."""


class UnreadableError(IngestError):
    """A document cannot be read; nothing of it is stored."""

    def __init__(self, reason: str, *, may_hide_memories: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.may_hide_memories = reason, may_hide_memories


@dataclass(frozen=True, kw_only=True)
class Document:
    """One file, or one member of a zip archive; read when it is first looked at."""

    item: str
    """The path as the user would write it, for the ledger."""
    path: str
    """Posix path below the given input; the same on every machine."""
    origin: str
    """The given input, resolved."""
    modified_at: datetime
    """UTC; stands in for a date that is missing or does not parse."""
    size: int
    """Bytes."""
    read: Read
    """Raises UnreadableError."""
    beside: Callable[[str], "Document | None"] = field(default=lambda name: None)
    """The file of this name in the same folder; None where there is none."""

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.path).stem

    @property
    def suffix(self) -> str:
        """Lower case, with its dot; "" when there is none."""
        return PurePosixPath(self.path).suffix.lower()

    @cached_property
    def encoding(self) -> Encoding:
        """How its bytes become text. Raises UnreadableError."""
        try:
            return encoding_of(self.read)
        except UnicodeError as error:
            raise UnreadableError(str(error)) from error

    @cached_property
    def text(self) -> str:
        """The whole text. Raises UnreadableError."""
        return "".join(decoded(self.read(), self.encoding.name))

    def parts(self) -> Iterator[str]:
        """The text, part by part: of a large file one part is held. Raises UnreadableError."""
        if self.size <= _HELD_BYTES:
            yield self.text
        else:
            yield from decoded(self.read(), self.encoding.name)

    @property
    def first_character(self) -> str:
        """The first that is no space; "" in an empty file. Raises UnreadableError."""
        found = (part.lstrip() for part in self.parts())
        return next((part[0] for part in found if part), "")

    def check_array(self) -> None:
        """Raises UnreadableError, with line and column, unless it is a whole JSON array."""
        _ = self._elements

    @cached_property
    def _elements(self) -> int:
        try:
            return sum(1 for _ in parse_elements(self.parts()))
        except ValueError as error:
            raise broken_json(error) from error


def broken_json(error: ValueError) -> UnreadableError:
    """The error of a document whose JSON is broken."""
    return UnreadableError(f"broken JSON, nothing of it was stored: {error}")


Reader: TypeAlias = Callable[[Document], Iterator[Found | Skipped]]
"""Reads one format, lazily: found memories and skipped items, in the order of the document. One
that is broken as a whole raises UnreadableError."""
