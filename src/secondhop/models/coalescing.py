"""Concurrent queries become one batch, and a query embedded a moment ago is not embedded again."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from secondhop.models.embedder import Embedder, EmbedderWrapper, Vectors


@dataclass(slots=True)
class _Batch:
    """Queries that wait for one call of the model, on one event loop."""

    texts: dict[str, None] = field(default_factory=dict[str, None])
    """In order of arrival, each once."""
    callers: list[asyncio.Future[dict[str, Vectors]]] = field(
        default_factory=list[asyncio.Future[dict[str, Vectors]]]
    )
    task: asyncio.Task[Vectors] | None = None


class CoalescingEmbedder(EmbedderWrapper):
    """Wraps an embedder: calls of `embed_queries` within `window_s` share one batch.

    Each caller gets its own rows. A cancelled caller leaves the others alone; the batch itself is
    cancelled when no caller waits for it any more. An error of the model reaches every caller of
    that batch. Batches never cross event loops, so threads with loops of their own may share one
    object.
    The last `kept_queries` query vectors are remembered in memory.
    """

    def __init__(
        self,
        inner: Embedder,
        *,
        window_s: float = 0.002,
        max_batch: int = 64,
        kept_queries: int = 2048,
    ) -> None:
        """`max_batch`: queries after which a batch starts without waiting for the window."""
        super().__init__(inner)
        self._window_s, self._max_batch = window_s, max_batch
        self._vectors = _RecentVectors(kept_queries)
        self._waiting: dict[asyncio.AbstractEventLoop, _Batch] = {}
        self._lock = threading.Lock()

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Straight through."""
        return await self._inner.embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dim], rows of unit length, in order."""
        if not texts:
            return await self._inner.embed_queries(texts)
        rows = self._vectors.get(texts)
        missing = [text for text in texts if text not in rows]
        if missing:
            rows |= await self._join_batch(missing)
        return np.stack([rows[text] for text in texts])

    async def _join_batch(self, texts: Sequence[str]) -> dict[str, Vectors]:
        loop = asyncio.get_running_loop()
        caller: asyncio.Future[dict[str, Vectors]] = loop.create_future()
        with self._lock:
            batch = self._waiting.get(loop)
            if batch is None:
                batch = self._waiting[loop] = _Batch()
                loop.call_later(self._window_s, self._start, loop, batch)
        batch.texts.update(dict.fromkeys(texts))
        batch.callers.append(caller)
        if len(batch.texts) >= self._max_batch:
            self._start(loop, batch)
        try:
            return await caller
        finally:
            if all(other.done() for other in batch.callers):
                self._abandon(loop, batch)

    def _abandon(self, loop: asyncio.AbstractEventLoop, batch: _Batch) -> None:
        """No caller waits any more: stop the call, if it runs; no effect after a success."""
        self._forget(loop, batch)
        if batch.task is not None:
            batch.task.cancel()

    def _forget(self, loop: asyncio.AbstractEventLoop, batch: _Batch) -> None:
        with self._lock:
            if self._waiting.get(loop) is batch:
                del self._waiting[loop]

    def _start(self, loop: asyncio.AbstractEventLoop, batch: _Batch) -> None:
        self._forget(loop, batch)
        if batch.task is not None or all(caller.done() for caller in batch.callers):
            return  # started when it was full, or everyone left before the window closed
        batch.task = loop.create_task(self._inner_call(list(batch.texts)))
        batch.task.add_done_callback(partial(self._deliver, batch))

    async def _inner_call(self, texts: list[str]) -> Vectors:
        return await self._inner.embed_queries(texts)

    def _deliver(self, batch: _Batch, task: asyncio.Task[Vectors]) -> None:
        waiting = [caller for caller in batch.callers if not caller.done()]
        if task.cancelled():
            for caller in waiting:
                caller.cancel()
        elif (error := task.exception()) is not None:
            for caller in waiting:
                caller.set_exception(error)
        else:
            rows = dict(zip(batch.texts, task.result(), strict=True))
            self._vectors.put(rows)
            for caller in waiting:
                caller.set_result(rows)


class _RecentVectors:
    """Query vectors by text, least recently used first out."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The rows that are known."""
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
            for text in known:
                self._kept.move_to_end(text)
        return known

    def put(self, rows: dict[str, Vectors]) -> None:
        """Remember copies: a row alone must not keep its whole batch in memory."""
        with self._lock:
            for text, row in rows.items():
                self._kept[text] = row.copy()
                self._kept.move_to_end(text)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
