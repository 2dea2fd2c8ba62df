"""Searches an index that may hold more than the catalog knows, and caches recently used vectors."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TypeVar

from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.database import Connection
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Vector, Vectors

Owner = TypeVar("Owner")
Hit = TypeVar("Hit")


async def nearest_stored(
    index: VectorIndex,
    queries: Vectors,
    *,
    k: int,
    catalog: Catalog,
    owners: Callable[[Connection, Sequence[str]], Mapping[str, Owner]],
    as_hit: Callable[[str, Owner, float], Hit],
) -> list[list[Hit]]:
    """For each query row, at most `k` hits of stored ids, best first.

    Vectors that the catalog does not know are about to be stored or removed. They are skipped.

    Args:
        k: above 0.
        owners: reads {id: its owner} of those ids that are stored.
        as_hit: makes a hit of an id, its owner and its cosine.
    """
    depth = k
    while True:
        found = await index.nearest(queries, k=depth)
        ids = list({one for ranking in found for one, _ in ranking})
        known = await catalog.known.of(owners, ids)
        rankings = [
            [as_hit(one, known[one], score) for one, score in ranking if one in known]
            for ranking in found
        ]
        filled = all(len(ranking) >= k for ranking in rankings)
        if filled or all(len(ranking) < depth for ranking in found):
            return [ranking[:k] for ranking in rankings]
        depth *= 2


MOST_BYTES = 48 * 2**20
"""The most bytes that all cached vectors of this process may take."""

_guard = threading.Lock()
_vectors: OrderedDict[tuple[int, str], Vector] = OrderedDict()
_numbers = count()


class VectorCache:
    """A cache of the recently used vectors of one entity. Safe to use from any thread.

    All entities share `MOST_BYTES`. The least recently used vectors are dropped first.
    """

    def __init__(self) -> None:
        self._own = next(_numbers)

    def take(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """{id: vector} of those ids that are cached."""
        found: dict[str, Vector] = {}
        with _guard:
            for passage_id in passage_ids:
                key = self._own, passage_id
                if (vector := _vectors.get(key)) is not None:
                    found[passage_id] = vector
                    _vectors.move_to_end(key)
        return found

    def keep(self, vectors: Mapping[str, Vector]) -> None:
        """Cache these vectors."""
        # copies: a row of a matrix would keep the whole of it in memory
        copies = {(self._own, one): vector.copy() for one, vector in vectors.items()}
        with _guard:
            _vectors.update(copies)
            most = MOST_BYTES // next(iter(copies.values())).nbytes if copies else len(_vectors)
            while len(_vectors) > most:
                _vectors.popitem(last=False)

    def drop(self, passage_ids: Sequence[str]) -> None:
        """Drop these ids from the cache."""
        with _guard:
            for passage_id in passage_ids:
                _vectors.pop((self._own, passage_id), None)
