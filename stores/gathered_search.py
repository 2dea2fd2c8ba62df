"""Searches of one moment become few: a round asks a store for many queries side by side.

Half of what a call costs is the way there (a thread, locks, SQL), and the queries of a round ask
for many of the same vectors.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from secondhop.stores.gathering import Gathering
from secondhop.stores.protocols import MemorySearch, SearchesTogether
from secondhop.stores.records import PassageHit, Vector, Vectors

_DENSE_ROWS = 8
"""Query rows a call: one processor does all rows of a call."""

_DENSE_CALLS = 4
"""Calls of the dense leg at a time."""

_LEXICAL_QUERIES = 16
"""Queries a call: they read what they have in common once, and hold it all in memory."""

_VECTORS = 4_096
"""Vectors a call, about: a caller's ids stay together."""


class GatheredSearch:
    """A `MemorySearch` whose callers share calls of the store behind it.

    Calls never cross event loops, so threads with loops of their own may share one object.
    """

    def __init__(self, inner: MemorySearch) -> None:
        self._inner = inner
        self._together = inner if isinstance(inner, SearchesTogether) else None
        self._lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, _Lanes] = WeakKeyDictionary()

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """See `MemorySearch`; only single queries are gathered, with those of the same `k`."""
        if len(queries) != 1:
            return await self._inner.dense(queries, k=k)
        query = _Query(queries[0])
        found = await self._own_lanes().dense(k).get([query])
        return [found[query]]

    async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
        """See `MemorySearch`."""
        if self._together is None:
            return await self._inner.lexical(query, k=k)
        return (await self._own_lanes().lexical(self._together, k).get([query]))[query]

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `MemorySearch`."""
        return await self._own_lanes().vectors.get(passage_ids) if passage_ids else {}

    def _own_lanes(self) -> "_Lanes":
        loop = asyncio.get_running_loop()
        lanes = self._lanes.get(loop)
        if lanes is None:
            lanes = self._lanes[loop] = _Lanes(self._inner)
        return lanes


@dataclass(frozen=True, slots=True, eq=False)
class _Query:
    """A query vector, equal to itself only."""

    vector: Vector


class _Lanes:
    """The calls of one event loop."""

    def __init__(self, inner: MemorySearch) -> None:
        self._inner = inner
        self.vectors: Gathering[str, Vector] = Gathering(
            inner.vectors, keys_a_call=_VECTORS, calls=2
        )
        self._dense: dict[int, Gathering[_Query, list[PassageHit]]] = {}
        self._lexical: dict[int, Gathering[str, list[PassageHit]]] = {}

    def dense(self, k: int) -> Gathering[_Query, list[PassageHit]]:
        """One lane a depth: a deeper search may find other passages first."""
        if k not in self._dense:
            call = partial(self._nearest, k)
            self._dense[k] = Gathering(call, keys_a_call=_DENSE_ROWS, calls=_DENSE_CALLS)
        return self._dense[k]

    async def _nearest(self, k: int, queries: list[_Query]) -> dict[_Query, list[PassageHit]]:
        found = await self._inner.dense(np.stack([query.vector for query in queries]), k=k)
        return dict(zip(queries, found, strict=True))

    def lexical(self, inner: SearchesTogether, k: int) -> Gathering[str, list[PassageHit]]:
        """One lane a depth."""
        if k not in self._lexical:
            self._lexical[k] = Gathering(
                partial(self._worded, inner, k), keys_a_call=_LEXICAL_QUERIES
            )
        return self._lexical[k]

    async def _worded(
        self, inner: SearchesTogether, k: int, queries: list[str]
    ) -> dict[str, list[PassageHit]]:
        return dict(zip(queries, await inner.lexical_together(queries, k=k), strict=True))
