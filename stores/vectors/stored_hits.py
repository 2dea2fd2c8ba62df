"""Searching an index that may hold more than the catalog knows."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.database import Connection
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Vectors

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
        known = await catalog.aread(owners, list({one for ranking in found for one, _ in ranking}))
        rankings = [
            [(one, known[one], score) for one, score in ranking if one in known]
            for ranking in found
        ]
        filled = all(len(ranking) >= k for ranking in rankings)
        if filled or all(len(ranking) < depth for ranking in found):
            return [ranking[:k] for ranking in rankings]
        depth *= 2
