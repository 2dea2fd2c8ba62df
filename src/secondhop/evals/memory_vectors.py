"""One vector a memory: the mean direction of its passages."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from secondhop.ranking.arrays import unit_rows
from secondhop.stores.protocols import MemoryReader, MemorySearch
from secondhop.stores.records import Vector, passage_id_of


class SearchableStore(MemorySearch, MemoryReader, Protocol):
    """A store that is searched and read."""


async def memory_vectors(memory_ids: Iterable[str], store: SearchableStore) -> dict[str, Vector]:
    """{memory id: float32 [dim], unit length}; what is not stored is left out."""
    wanted = list(dict.fromkeys(memory_ids))
    cards = await store.cards(wanted)
    found: dict[str, Vector] = {}
    for memory_id in wanted:
        memory = await store.memory(memory_id) if memory_id in cards else None
        if memory is None:
            continue
        passages = [passage_id_of(memory, n) for n in range(cards[memory_id].passage_count)]
        rows = list((await store.vectors(passages)).values())
        if rows:
            found[memory_id] = unit_rows(np.stack(rows).mean(axis=0, keepdims=True))[0]
    return found
