"""How near the memories of a store usually are to the playbooks' questions.

The correction of hubs takes from every cosine half of what a passage is nearer than usual. What is
usual belongs to the embedding model, and is measured on memories: the texts of the playbooks are
written for the playbooks' questions, and nearer to them than memories are.
"""

from typing import Protocol

from secondhop.nodes.retrieval.hubs import PASSAGES_A_PRODUCT, nearness
from secondhop.stores.protocols import MemorySearch
from secondhop.stores.records import Vectors

SAMPLE = 4096
"""Passages of a store that are compared, spread evenly over their ids, if it holds more."""


class PassageVectors(MemorySearch, Protocol):
    """A store that can name its passages."""

    async def vector_ids(self) -> set[str]:
        """Passage ids that have a vector."""
        ...


async def usual_nearness(store: PassageVectors, bank: Vectors | None) -> float | None:
    """Mean nearness of the store's passages to a bank of questions, as hubs are corrected by it.

    Args:
        bank: float32 [n, dim], rows of unit length.

    Returns:
        None: there are no questions, or no passages.
    """
    if bank is None or not len(bank):
        return None
    every = sorted(await store.vector_ids())
    chosen = every[:: max(1, -(-len(every) // SAMPLE))]
    total, compared = 0.0, 0
    for start in range(0, len(chosen), PASSAGES_A_PRODUCT):
        vectors = await store.vectors(chosen[start : start + PASSAGES_A_PRODUCT])
        if vectors:
            total += float(nearness(bank, list(vectors.values())).sum())
            compared += len(vectors)
    return total / compared if compared else None
