"""Async work from synchronous callers, also from those inside a running event loop."""

import threading
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

T = TypeVar("T")


class SyncDoor:
    """One event loop in a thread of its own, started at the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stack: ExitStack | None = None
        self._portal: BlockingPortal | None = None

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work()` in the loop and wait for what it returns or raises."""
        return self._opened().call(work)

    def adopt(self, other: "SyncDoor") -> None:
        """Go on with the loop of another one, which then has none."""
        with self._lock:
            self._stack, self._portal = other._stack, other._portal
            other._stack = other._portal = None

    def close(self) -> None:
        """Stop the loop; the next call starts another."""
        with self._lock:
            stack, self._stack, self._portal = self._stack, None, None
        if stack is not None:
            stack.close()

    def _opened(self) -> BlockingPortal:
        with self._lock:
            if self._portal is None:
                self._stack = ExitStack()
                self._portal = self._stack.enter_context(
                    start_blocking_portal("asyncio", name="secondhop")
                )
            return self._portal
