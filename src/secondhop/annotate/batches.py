"""Reads memories, cuts long ones into parts, and gathers the parts into batches."""

from collections.abc import AsyncGenerator, Sequence

from secondhop.annotate.parts import MemoryPart, parts_of
from secondhop.stores.entity_store import EntityStore

BATCH_MEMORIES = 10
"""The most memories, or parts of long ones, in one request."""

BATCH_TOKENS = 3_500
"""The most tokens of their texts together."""

PART_TOKENS = 1_500
"""A longer memory is read in parts of at most this many tokens."""


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
