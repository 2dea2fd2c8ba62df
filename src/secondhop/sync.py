"""Sync forms of async methods; they also work inside a running event loop.

class Service:
    async def aremember(self, text: str) -> None: ...
    remember = blocking(aremember)
"""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Concatenate, ParamSpec, Protocol, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Closing(ABC):
    """A (sync and async) context manager that closes itself at its end."""

    @abstractmethod
    async def aclose(self) -> None:
        """Close it."""

    @abstractmethod
    def close(self) -> None:
        """As `aclose`, for callers without an event loop."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class BackgroundLoop:
    """One event loop in a thread of its own, started at the first call.

    The thread never keeps the process alive: a caller that forgets to close loses nothing but what
    is at work when the process ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: _LoopThread | None = None

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work()` in the loop and wait for what it returns or raises."""
        with self._lock:
            if self._loop is None:
                self._loop = _LoopThread()
            loop = self._loop
        return loop.run(work)

    def adopt(self, other: "BackgroundLoop") -> None:
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
        self._thread = threading.Thread(target=self._serve, name="secondhop", daemon=True)
        self._thread.start()
        self._begun.wait()

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
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

    def _serve(self) -> None:
        asyncio.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._begun.set()
        await self._over.wait()


class HasLoop(Protocol):
    """An object with a background loop for its async work."""

    _loop: BackgroundLoop


H = TypeVar("H", bound=HasLoop)


def blocking(method: Callable[Concatenate[H, P], Awaitable[T]]) -> Callable[Concatenate[H, P], T]:
    """The sync form of a method: `remember = blocking(aremember)`.

    It looks the method up by name, so a subclass that overrides `aremember` changes `remember` too.
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
