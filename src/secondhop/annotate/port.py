"""What annotating reads and writes: parts of memories, older ones beside them, and a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from secondhop.stores.cues import Annotation
from secondhop.stores.records import (
    Memory,
    MemoryCard,
    Passage,
    PassageHit,
    Topic,
    Vector,
    Vectors,
)


class AnnotationStore(Protocol):
    """What annotating needs of a store."""

    async def unannotated(self, *, prompt: str | None = None) -> Sequence[str]:
        """Ids of memories without an annotation of their present text, the oldest first.

        Args:
            prompt: memories that a model annotated with another prompt count, too.
        """
        ...

    async def annotate(self, annotations: Sequence[Annotation], vectors: Vectors) -> int:
        """Store annotations; how many were stored: none of a memory that has changed or is gone.

        Args:
            vectors: a row for each cue, in the order of the annotations and of their cues.
        """
        ...

    async def annotations(self, memory_ids: Sequence[str]) -> Mapping[str, Sequence[Annotation]]:
        """{memory id: what each origin says of it}; those without one are left out."""
        ...

    async def whole(self, memory_id: str) -> tuple[Memory, tuple[Passage, ...]] | None:
        """A memory with all its passages in order, or None."""
        ...

    async def cards(self, memory_ids: Sequence[str]) -> dict[str, MemoryCard]:
        """Title, source and date; unknown ids are left out."""
        ...

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """Vectors of passages, unit length; unknown ids are left out."""
        ...

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """For each query row, at most `k` passages by cosine, best first."""
        ...

    async def topics(self) -> Sequence[Topic]:
        """The memory map, biggest cluster first."""
        ...


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
