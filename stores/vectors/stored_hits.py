"""Searches an index that may hold more than the catalog knows."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.database import Connection
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Vectors

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
