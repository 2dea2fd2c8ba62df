"""The interface of a reader: it takes a document and yields memories and skipped items."""

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
"""`Document.parts` reads a larger file part by part, again on each pass."""

NEW_CHAT = "New Chat"
"""Title of a conversation that its owner never named; some products write "New chat"."""


def is_named(title: str) -> bool:
    """Whether a title is neither empty nor the default of a new chat."""
    return title.casefold() not in {"", NEW_CHAT.casefold()}


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not stored as it was given, and why."""

    item: str
    """Its place: a path, and the line or conversation in it."""
    reason: str
    may_hide_memories: bool = False
    """Memories stored from it earlier may still be in there, so nothing of its origin is deleted.
    """
    is_notice: bool = False
    """The memory itself is stored; the reason tells of a part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One memory that a reader found."""

    memory: Memory
    item: str
    """Its place in the input, for the ledger."""
    updated_at: datetime | None = None
    """Its last change, if the format has one. Of two copies with one id, the later one wins."""
    named_by_path: bool = False
    """Its id is a relative path, which may also occur in another folder. If the file holds several
    memories, the path is followed by an anchor."""
    anchor: str = ""
    """What tells it from most others in its file; "" if nothing does."""
    begins: datetime | None = None
    """When it begins, if its file is a chat or a journal."""
    dated_by_file: bool = False
    """Its date is only the time at which the file was last changed."""


class UnreadableError(IngestError):
    """A document cannot be read."""

    def __init__(self, reason: str, *, may_hide_memories: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.may_hide_memories = reason, may_hide_memories


@dataclass(frozen=True, kw_only=True)
class Document:
    """One file, or one member of a zip archive, read lazily."""

    item: str
    """The path as the user would write it, for the ledger."""
    path: str
    """POSIX path below the given input; the same on every machine."""
    origin: str
    """The given input, resolved."""
    modified_at: datetime
    """UTC. Used if a memory's date is missing or does not parse."""
    size: int
    """Bytes."""
    read: Read
    """Raises UnreadableError."""
    beside: Callable[[str], "Document | None"] = field(default=lambda name: None)
    """The file of this name in the same folder; None if there is none."""

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.path).stem

    @property
    def suffix(self) -> str:
        """Lower case, with its dot; "" if there is none."""
        return PurePosixPath(self.path).suffix.lower()

    @cached_property
    def encoding(self) -> Encoding:
        """Raises UnreadableError if the document is not text."""
        try:
            return encoding_of(self.read)
        except UnicodeError as error:
            raise UnreadableError(str(error)) from error

    @cached_property
    def text(self) -> str:
        """The whole text. Raises UnreadableError."""
        return "".join(decoded(self.read(), self.encoding.name))

    def parts(self) -> Iterator[str]:
        """The text, part by part; one part of a large file is in RAM. Raises UnreadableError."""
        if self.size <= _HELD_BYTES:
            yield self.text
        else:
            yield from decoded(self.read(), self.encoding.name)

    @property
    def first_character(self) -> str:
        """The first that is not white space; "" if there is none. Raises UnreadableError."""
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
    """The error for a document whose JSON is broken."""
    return UnreadableError(f"broken JSON; nothing from it was stored: {error}")


Reader: TypeAlias = Callable[[Document], Iterator[Found | Skipped]]
"""Reads one format lazily: yields memories and skipped items in the order of the document. Raises
UnreadableError if the document as a whole is broken."""
