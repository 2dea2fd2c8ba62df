"""Searches of one moment share few calls: a round asks a store for many queries side by side.

Half of what a call costs is the way there (a thread, locks, SQL), and the queries of a round ask
for many of the same vectors.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from secondhop.stores.protocols import MemorySearch, SearchesTogether
from secondhop.stores.records import PassageHit, Vector, Vectors

KeyT = TypeVar("KeyT")
FoundT = TypeVar("FoundT")


@dataclass(slots=True)
class _Batch(Generic[KeyT, FoundT]):
    """Keys of several callers, who wait for the answer."""

    keys: dict[KeyT, None] = field(default_factory=dict[KeyT, None])
    callers: list[asyncio.Future[Mapping[KeyT, FoundT]]] = field(
        default_factory=list[asyncio.Future[Mapping[KeyT, FoundT]]]
    )


class QueryBatcher(Generic[KeyT, FoundT]):
    """Batches of keys in order of arrival; at most `calls` of them are looked up at a time.

    What comes while all calls are busy goes together as soon as one is free; nobody waits for
    company. A cancelled caller leaves the others alone; an error reaches every caller of its call.
    Belongs to one event loop.
    """

    def __init__(
        self,
        call: Callable[[list[KeyT]], Awaitable[Mapping[KeyT, FoundT]]],
        *,
        keys_a_call: int,
        calls: int = 1,
    ) -> None:
        """`keys_a_call`: how many go together, about: a caller's keys are never parted."""
        self._call, self._keys_a_call, self._calls = call, keys_a_call, calls
        self._waiting: deque[_Batch[KeyT, FoundT]] = deque()
        self._running: set[asyncio.Task[Mapping[KeyT, FoundT]]] = set()

    async def get(self, keys: Sequence[KeyT]) -> dict[KeyT, FoundT]:
        """{key: what is known of it}; keys of which nothing is known are left out."""
        loop = asyncio.get_running_loop()
        if not self._waiting or len(self._waiting[-1].keys) >= self._keys_a_call:
            self._waiting.append(_Batch())
            loop.call_soon(self._start)  # not at once: callers of the same moment join
        batch = self._waiting[-1]
        batch.keys.update(dict.fromkeys(keys))
        caller: asyncio.Future[Mapping[KeyT, FoundT]] = loop.create_future()
        batch.callers.append(caller)
        found = await caller
        return {key: found[key] for key in keys if key in found}

    def _start(self) -> None:
        while self._waiting and len(self._running) < self._calls:
            batch = self._waiting.popleft()
            task = asyncio.ensure_future(self._look_up(list(batch.keys)))
            self._running.add(task)
            task.add_done_callback(partial(self._deliver, batch))

    async def _look_up(self, keys: list[KeyT]) -> Mapping[KeyT, FoundT]:
        return await self._call(keys)

    def _deliver(
        self, batch: _Batch[KeyT, FoundT], task: asyncio.Task[Mapping[KeyT, FoundT]]
    ) -> None:
        self._running.discard(task)
        self._start()
        error = None if task.cancelled() else task.exception()
        for caller in batch.callers:
            if caller.done():
                continue  # cancelled meanwhile
            if task.cancelled():
                caller.cancel()
            elif error is not None:
                caller.set_exception(error)
            else:
                caller.set_result(task.result())


_DENSE_ROWS = 8
"""Query rows a call: one processor does all rows of a call."""

_DENSE_CALLS = 4
"""Dense searches at a time."""

_LEXICAL_QUERIES = 16
"""Queries a call: they read what they have in common once, and hold it all in memory."""

_VECTORS = 4_096
"""Vectors a call, about: a caller's ids stay together."""


class BatchedSearch:
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
        self.vectors: QueryBatcher[str, Vector] = QueryBatcher(
            inner.vectors, keys_a_call=_VECTORS, calls=2
        )
        self._dense: dict[int, QueryBatcher[_Query, list[PassageHit]]] = {}
        self._lexical: dict[int, QueryBatcher[str, list[PassageHit]]] = {}

    def dense(self, k: int) -> QueryBatcher[_Query, list[PassageHit]]:
        """One lane a depth: a deeper search may find other passages first."""
        if k not in self._dense:
            call = partial(self._nearest, k)
            self._dense[k] = QueryBatcher(call, keys_a_call=_DENSE_ROWS, calls=_DENSE_CALLS)
        return self._dense[k]

    async def _nearest(self, k: int, queries: list[_Query]) -> dict[_Query, list[PassageHit]]:
        found = await self._inner.dense(np.stack([query.vector for query in queries]), k=k)
        return dict(zip(queries, found, strict=True))

    def lexical(self, inner: SearchesTogether, k: int) -> QueryBatcher[str, list[PassageHit]]:
        """One lane a depth."""
        if k not in self._lexical:
            self._lexical[k] = QueryBatcher(
                partial(self._worded, inner, k), keys_a_call=_LEXICAL_QUERIES
            )
        return self._lexical[k]

    async def _worded(
        self, inner: SearchesTogether, k: int, queries: list[str]
    ) -> dict[str, list[PassageHit]]:
        return dict(zip(queries, await inner.lexical_together(queries, k=k), strict=True))
