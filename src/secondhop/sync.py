"""Sync forms of async methods; they also work inside a running event loop.

class Service:
    async def aremember(self, text: str) -> None: ...
    remember = blocking(aremember)
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial, wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from secondhop.errors import StoreError, UsageError
from secondhop.stores.forked import FORKED

P = ParamSpec("P")
T = TypeVar("T")


class BackgroundLoop:
    """One event loop in a thread of its own, started at the first call.

    The thread does not keep the process alive. If a caller forgets to close it, only work that is
    still running when the process ends is lost.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: _LoopThread | None = None

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work()` in the loop, wait for it, and return or raise what it does.

        Raises:
            UsageError: called in the loop itself, by a callback.
            StoreError: the loop belongs to the process that this one was forked from.
        """
        with self._lock:
            if self._loop is None:
                self._loop = _LoopThread()
            loop = self._loop
        return loop.run(work)

    def adopt(self, other: "BackgroundLoop") -> None:
        """Take over the running loop of `other`, which then has none."""
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
        self._process = os.getpid()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="secondhop", daemon=True)
        self._thread.start()
        self._begun.wait()

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        async def awaited() -> T:
            return await work()

        if self._process != os.getpid():
            raise StoreError(FORKED)
        if threading.current_thread() is self._thread:
            raise UsageError(
                "a callback of a sync call cannot make another sync call, which would wait for "
                "itself; note what it needs, and call afterwards"
            )
        done = asyncio.run_coroutine_threadsafe(awaited(), self._loop)
        try:
            return done.result()
        except BaseException:
            done.cancel()  # for Ctrl-C while waiting; does nothing if the work has ended
            raise

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _serve(self) -> None:
        asyncio.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._begun.set()
        await self._over.wait()


class HasLoop(Protocol):
    """An object whose background loop runs its sync methods."""

    _loop: BackgroundLoop


H = TypeVar("H", bound=HasLoop)


def in_own_loop(function: Callable[P, Awaitable[T]]) -> Callable[P, T]:
    """The sync form of a function: `reindex = in_own_loop(areindex)`."""
    name = function.__name__

    @wraps(function)
    def waited(*args: P.args, **named: P.kwargs) -> T:
        with closing(BackgroundLoop()) as loop:
            return loop.run(partial(function, *args, **named))

    waited.__name__ = waited.__qualname__ = name.removeprefix("a")
    waited.__doc__ = f"As `{name}`, for callers without an event loop."
    return waited


def blocking(method: Callable[Concatenate[H, P], Awaitable[T]]) -> Callable[Concatenate[H, P], T]:
    """The sync form of a method: `remember = blocking(aremember)`.

    The method is looked up by name, so a subclass that overrides `aremember` changes `remember`
    too.
    """
    name = method.__name__

    @wraps(method)
    def waited(self: H, /, *args: P.args, **named: P.kwargs) -> T:
        work: Callable[[], Awaitable[T]] = partial(getattr(self, name), *args, **named)
        return self._loop.run(work)  # pyright: ignore[reportPrivateUsage] - a method of it

    waited.__name__ = name.removeprefix("a")
    waited.__qualname__ = method.__qualname__.removesuffix(name) + waited.__name__
    waited.__doc__ = f"As `{name}`, for callers without an event loop."
    return waited
