"""What recall and ingest need of a store; always bound to one entity.

No method takes an entity or a raw filter: a handle that is bound to one entity cannot reach
another, however it is called. Adapters pass the conformance tests in `tests/stores/`.
"Nothing matches" is an empty answer; "could not look" is an error from `secondhop.errors`.
"""

from collections.abc import Sequence
from typing import Protocol

from secondhop.stores.cues import CueHit, CueStanding
from secondhop.stores.records import (
    Memory,
    MemoryCard,
    Passage,
    PassageHit,
    Topic,
    Vector,
    Vectors,
)


class VectorIndex(Protocol):
    """The passage vectors of one entity, in whatever database keeps them."""

    async def nearest(self, queries: Vectors, *, k: int) -> list[list[tuple[str, float]]]:
        """For each query row, at most `k` (passage id, cosine), best first, ties by smaller id."""
        ...

    async def fetch(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored vectors of these ids, of unit length; unknown ids are left out."""
        ...

    async def upsert(self, passage_ids: Sequence[str], vectors: Vectors) -> None:
        """Store or replace; durable when it returns; doing it twice changes nothing."""
        ...

    async def remove(self, passage_ids: Sequence[str]) -> None:
        """Forget these ids; unknown ids are no error."""
        ...

    async def ids(self) -> set[str]:
        """Every stored passage id (for repair and `doctor`, not for recall)."""
        ...

    async def count(self) -> int:
        """How many ids are stored."""
        ...

    async def compact(self) -> bool:
        """Leave nothing of removed vectors in any file; False where it cannot be done now."""
        ...

    async def drop(self) -> None:
        """Forget every vector, whatever state they are in; none is no error."""
        ...


class MemorySearch(Protocol):
    """The two searches of queries. Hits name stored, complete memories only."""

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """For each query row, at most `k` passages by cosine, best first."""
        ...

    async def lexical(self, queries: Sequence[str], *, k: int) -> list[list[PassageHit]]:
        """For each query, at most `k` passages by normalised BM25, best first; [] when no word of
        it is known."""
        ...

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """Vectors of passages that a search or the reader named, unit length; unknown ids are left
        out."""
        ...


class CueSearch(Protocol):
    """Finding memories by what they were stored for."""

    async def search(self, queries: Vectors, *, k: int) -> list[list[CueHit]]:
        """For each query row, at most `k` cues by cosine, best first, of stored memories only;
        empty rankings where nothing has cues."""
        ...

    async def standing(self) -> CueStanding:
        """How many memories have cues, and whether sessions have written any."""
        ...


class MemoryReader(Protocol):
    """Looking up what was found."""

    async def cards(self, memory_ids: Sequence[str]) -> dict[str, MemoryCard]:
        """Title, source and date of memories; unknown ids are left out."""
        ...

    async def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """Passages by id; unknown ids are left out."""
        ...

    async def passage_ids(self, memory_ids: Sequence[str]) -> dict[str, list[str]]:
        """{memory id: its passages in order}; unknown ids are left out."""
        ...

    async def memory(self, memory_id: str) -> Memory | None:
        """The whole memory, or None."""
        ...

    async def topics(self) -> Sequence[Topic]:
        """The memory map, biggest cluster first; [] for an empty store."""
        ...
