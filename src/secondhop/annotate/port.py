"""The inputs and outputs of annotating."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPart:
    """What a model reads at once: a memory, or a part of a long one."""

    memory_id: str
    title: str
    source: str
    created_at: datetime
    text: str
    tokens: int
    """Length of `text`."""
    number: int = 1
    """Position among the memory's parts, from 1."""
    of: int = 1
    """How many parts the memory has."""

    @property
    def key(self) -> tuple[str, int]:
        """(memory id, number)."""
        return self.memory_id, self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderMemory:
    """An older memory near to those of a batch, shown by its beginning."""

    memory_id: str
    title: str
    created_at: datetime
    opening: str
    role: str = ""
    broad: Sequence[str] = ()
    """Its broad cues, so that new cues use the same words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateRequest:
    """A batch to read."""

    parts: Sequence[MemoryPart]
    """Sorted by date."""
    older: Sequence[OlderMemory] = ()
    """Sorted by date."""
    titles: Sequence[str] = ()
    """The memory map: one title per topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCues:
    """What a model wrote about a part; only its form was checked."""

    specific: Sequence[str] = ()
    broad: Sequence[str] = ()
    role: str = ""
    replaces: Sequence[str] = ()
    """Ids of the memories that it replaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCue:
    """A cue that a model wrote and that is not stored."""

    memory_id: str
    text: str
    why: str
