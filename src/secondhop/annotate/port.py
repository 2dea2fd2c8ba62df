"""What annotating reads and writes: parts of memories, together with older memories."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPart:
    """What a model reads at once of a memory: all of it, or a part of a long one."""

    memory_id: str
    title: str
    source: str
    created_at: datetime
    text: str
    tokens: int
    """Of the text."""
    number: int = 1
    """From 1."""
    of: int = 1
    """How many parts the memory has."""

    @property
    def key(self) -> tuple[str, int]:
        """Names it: its memory and its number."""
        return self.memory_id, self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderMemory:
    """An older memory near to those that are read, by its beginning."""

    memory_id: str
    title: str
    created_at: datetime
    opening: str
    role: str = ""
    broad: Sequence[str] = ()
    """Its broad cues, for others to use the same words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateRequest:
    """A batch to read."""

    parts: Sequence[MemoryPart]
    """In order of date."""
    older: Sequence[OlderMemory] = ()
    """In order of date."""
    titles: Sequence[str] = ()
    """The memory map."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCues:
    """What a model wrote about a part, checked for form alone."""

    specific: Sequence[str] = ()
    broad: Sequence[str] = ()
    role: str = ""
    replaces: Sequence[str] = ()
    """Memory ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCue:
    """Something that a model wrote and that is not stored."""

    memory_id: str
    text: str
    why: str
