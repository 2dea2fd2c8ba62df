"""Async work from synchronous callers, also from those inside a running event loop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class SyncDoor:
    """One event loop in a thread of its own, started at the first call.

    The thread never keeps the process alive: a caller that forgets to close loses nothing but what
    is at work when the process ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: _LoopThread | None = None

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work()` in the loop and wait for what it returns or raises."""
        with self._lock:
            if self._loop is None:
                self._loop = _LoopThread()
            loop = self._loop
        return loop.call(work)

    def adopt(self, other: "SyncDoor") -> None:
        """Go on with the loop of another one, which then has none."""
        with self._lock:
            self._loop, other._loop = other._loop, None

    def close(self) -> None:
        """Stop the loop; the next call starts another."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.stop()


class _LoopThread:
    """A running event loop."""

    def __init__(self) -> None:
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="secondhop", daemon=True)
        self._thread.start()
        self._begun.wait()

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        async def awaited() -> T:
            return await work()

        done = asyncio.run_coroutine_threadsafe(awaited(), self._loop)
        try:
            return done.result()
        except BaseException:
            done.cancel()  # Ctrl-C while waiting; a work that has ended is left as it is
            raise

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._begun.set()
        await self._over.wait()
