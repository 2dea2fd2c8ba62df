"""The store protocols that recall and ingest use. Each object is bound to one entity.

No method takes an entity name or a raw filter, so a handle cannot reach another entity's data.
Every adapter must pass the conformance tests in `tests/stores/`. "Nothing matches" is an empty
answer; "could not look" raises an error from `secondhop.errors`.
"""

from collections.abc import Sequence
from typing import Protocol

from secondhop.stores.cues import CueHit, CueStanding
from secondhop.stores.records import Memory, MemoryCard, Passage, PassageHit, Topic, Vector, Vectors


class VectorIndex(Protocol):
    """The vectors of an entity's passages, or of its cues, in whatever database keeps them."""

    async def nearest(self, queries: Vectors, *, k: int) -> list[list[tuple[str, float]]]:
        """For each query row, at most `k` (passage id, cosine), best first, ties by smaller id."""
        ...

    async def fetch(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored vectors of these ids, of unit length; unknown ids are left out."""
        ...

    async def upsert(self, passage_ids: Sequence[str], vectors: Vectors) -> None:
        """Store or replace vectors. Durable on return; repeating the call changes nothing."""
        ...

    async def remove(self, passage_ids: Sequence[str]) -> None:
        """Delete the vectors of these ids; unknown ids are no error."""
        ...

    async def ids(self) -> set[str]:
        """Every stored id (for repair and `doctor`, not for recall)."""
        ...

    async def count(self) -> int:
        """How many ids are stored."""
        ...

    async def compact(self) -> bool:
        """Purge removed vectors from all files; False if that cannot be done now."""
        ...

    async def drop(self) -> None:
        """Delete every vector, even if they cannot be read; no error if there are none."""
        ...


class MemorySearch(Protocol):
    """Dense and lexical search. Hits name only memories that are completely stored."""

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """For each query row, at most `k` passages by cosine, best first."""
        ...

    async def lexical(
        self, queries: Sequence[str], *, k: int, memory_ids: Sequence[str] | None = None
    ) -> list[list[PassageHit]]:
        """For each query, at most `k` passages by normalised BM25, best first; [] if the store
        knows no word of the query.

        Args:
            memory_ids: look at the passages of these memories alone; None: at all passages.
        """
        ...

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """Unit-length vectors of passages that a search or the reader named; unknown ids are left
        out."""
        ...


class CueSearch(Protocol):
    """Finds memories by their cues."""

    async def search(self, queries: Vectors, *, k: int) -> list[list[CueHit]]:
        """For each query row, at most `k` cues of stored memories by cosine, best first; empty
        rankings if there are no cues."""
        ...

    async def compare(self, queries: Vectors, memory_ids: Sequence[str]) -> list[list[CueHit]]:
        """For each query row, all cues of these memories by cosine, best first."""
        ...

    async def vectors(self, cue_ids: Sequence[str]) -> dict[str, Vector]:
        """Unit-length vectors of cues; unknown ids are left out."""
        ...

    async def standing(self) -> CueStanding:
        """The share of memories with cues, and whether sessions have written any."""
        ...


class MemoryReader(Protocol):
    """Looks up memories and passages by id."""

    async def cards(self, memory_ids: Sequence[str]) -> dict[str, MemoryCard]:
        """{memory id: its card}; unknown ids are left out."""
        ...

    async def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """{passage id: passage}; unknown ids are left out."""
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
