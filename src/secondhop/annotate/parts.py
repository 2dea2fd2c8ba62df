"""Cuts memories into parts that a model can read whole, and gathers these into batches."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from secondhop.ingest.chunk import chunk_memory
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import Memory

FRAME_TOKENS = 45
"""Tokens of the lines around a memory: id, date, source, title."""

BATCH_MEMORIES = 10
"""The most memories, or parts of long ones, in one request."""

BATCH_TOKENS = 3_500
"""The most tokens of their texts together."""

PART_TOKENS = 1_500
"""A longer memory is read in parts of at most this many tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPart:
    """What a model reads at once: a memory, or a part of a long one."""

    memory: Memory
    text: str
    tokens: int
    """Length of `text`."""
    number: int
    """Position among the memory's parts, from 1."""
    of: int
    """How many parts the memory has."""

    @property
    def memory_id(self) -> str:
        """The id of the memory."""
        return self.memory.memory_id

    @property
    def key(self) -> tuple[str, int]:
        """(memory id, number)."""
        return self.memory_id, self.number


def parts_of(memory: Memory, *, tokens: int) -> list[MemoryPart]:
    """A memory in parts of at most `tokens` tokens, in order; nothing is left out."""
    passages = chunk_memory(memory, max_tokens=tokens, overlap_tokens=0)
    texts = [(one.text, one.tokens) for one in passages] or [("", 0)]
    return [
        MemoryPart(memory=memory, text=text, tokens=size, number=number, of=len(texts))
        for number, (text, size) in enumerate(texts, start=1)
    ]


async def batches(
    memory_ids: Sequence[str], store: EntityStore
) -> AsyncGenerator[list[MemoryPart], None]:
    """The parts of these memories in batches, one per request.

    Each memory is read when its turn comes; one that has been deleted meanwhile is left out.
    """
    batch: list[MemoryPart] = []
    size = 0
    for memory_id in memory_ids:
        found = await store.whole(memory_id)
        for part in parts_of(found[0], tokens=PART_TOKENS) if found is not None else ():
            full = len(batch) >= BATCH_MEMORIES
            if batch and (full or size + part.tokens > BATCH_TOKENS):
                yield batch
                batch, size = [], 0
            batch.append(part)
            size += part.tokens
    if batch:
        yield batch
