"""What many ask for at the same moment is looked up in few calls."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT")
FoundT = TypeVar("FoundT")


@dataclass(slots=True)
class _Batch(Generic[KeyT, FoundT]):
    """Keys of several callers, who wait for the answer."""

    keys: dict[KeyT, None] = field(default_factory=dict[KeyT, None])
    callers: list[asyncio.Future[Mapping[KeyT, FoundT]]] = field(
        default_factory=list[asyncio.Future[Mapping[KeyT, FoundT]]]
    )


class Gathering(Generic[KeyT, FoundT]):
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
            loop.call_soon(self._start)  # not at once: who asks in the same moment comes along
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
