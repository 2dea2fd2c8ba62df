"""Searching an index that may hold more than the catalog knows, and its vectors used last."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.database import Connection
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Vector, Vectors

Owner = TypeVar("Owner")


async def nearest_stored(
    index: VectorIndex,
    queries: Vectors,
    *,
    k: int,
    catalog: Catalog,
    owners: Callable[[Connection, Sequence[str]], Mapping[str, Owner]],
) -> list[list[tuple[str, Owner, float]]]:
    """For each query row, at most `k` (id, owner, cosine) of stored ids, best first.

    Vectors that the catalog does not know are about to be stored or removed: they take no place.

    Args:
        k: above 0.
        owners: reads {id: its owner} of those that are stored.
    """
    depth = k
    while True:
        found = await index.nearest(queries, k=depth)
        ids = list({one for ranking in found for one, _ in ranking})
        known = await asyncio.to_thread(catalog.known.of, owners, ids)
        rankings = [
            [(one, known[one], score) for one, score in ranking if one in known]
            for ranking in found
        ]
        filled = all(len(ranking) >= k for ranking in rankings)
        if filled or all(len(ranking) < depth for ranking in found):
            return [ranking[:k] for ranking in rankings]
        depth *= 2


class VectorCache:
    """Bounded, least recently used out first. Safe to use from any thread."""

    def __init__(self, *, capacity: int = 4_096) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._guard = threading.Lock()

    def take(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """Those of the ids that are here."""
        with self._guard:
            present = [i for i in passage_ids if i in self._vectors]
            for passage_id in present:
                self._vectors.move_to_end(passage_id)
            return {i: self._vectors[i] for i in present}

    def keep(self, vectors: Mapping[str, Vector]) -> None:
        """Remember these."""
        with self._guard:
            self._vectors.update(vectors)
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)

    def drop(self, passage_ids: Sequence[str]) -> None:
        """Forget these."""
        with self._guard:
            for passage_id in passage_ids:
                self._vectors.pop(passage_id, None)
