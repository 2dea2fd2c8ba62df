"""Reads memories, cuts long ones into parts, and gathers the parts into batches."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from secondhop.annotate.parts import parts_of
from secondhop.annotate.port import MemoryPart, PartCues
from secondhop.stores.entity_store import EntityStore

BATCH_MEMORIES = 10
"""The most memories, or parts of long ones, in one request."""

BATCH_TOKENS = 3_500
"""The most tokens of their texts together."""

PART_TOKENS = 1_500
"""A longer memory is read in parts of at most this many tokens."""


@dataclass(slots=True)
class OpenMemory:
    """A memory that is being read."""

    content_hash: str
    parts: int
    read: dict[int, PartCues] = field(default_factory=dict[int, PartCues])
    """{number of the part: its cues}."""

    def in_order(self) -> list[PartCues] | None:
        """The cues of all parts, in order; None while one is missing."""
        if len(self.read) < self.parts:
            return None
        return [self.read[number] for number in sorted(self.read)]


@dataclass(slots=True)
class Reading:
    """The memories of one run."""

    store: EntityStore
    opened: dict[str, OpenMemory] = field(default_factory=dict[str, OpenMemory])
    """{memory id: a memory that was given out and is not finished}."""

    async def batches(self, memory_ids: Sequence[str]) -> AsyncGenerator[list[MemoryPart], None]:
        """The parts of these memories in batches, one per request; each memory is read lazily."""
        batch: list[MemoryPart] = []
        size = 0
        for memory_id in memory_ids:
            for part in await self._parts(memory_id):
                full = len(batch) >= BATCH_MEMORIES
                if batch and (full or size + part.tokens > BATCH_TOKENS):
                    yield batch
                    batch, size = [], 0
                batch.append(part)
                size += part.tokens
        if batch:
            yield batch

    async def _parts(self, memory_id: str) -> list[MemoryPart]:
        """The parts of a memory; none if it has been deleted meanwhile."""
        found = await self.store.whole(memory_id)
        if found is None:
            return []
        memory = found[0]
        parts = parts_of(memory, tokens=PART_TOKENS)
        self.opened[memory_id] = OpenMemory(memory.content_hash, len(parts))
        return parts
