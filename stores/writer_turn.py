"""Waiting for one's turn to write, and not leaving in the middle of it."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from secondhop.errors import StoreError
from secondhop.stores.file_lock import WriterLock

_T = TypeVar("_T")
_POLL_S = 0.02


@asynccontextmanager
async def writer_turn(lock_path: Path, *, timeout_s: float) -> AsyncGenerator[None, None]:
    """Hold the writer's lock of an entity.

    Raises:
        StoreError: somebody else held it all the time.
    """
    lock = WriterLock(lock_path)
    clock = asyncio.get_running_loop().time
    deadline = clock() + timeout_s
    while not lock.try_acquire():
        if clock() > deadline:
            raise StoreError(
                f"another process has been writing to this entity for {timeout_s:.0f} s; "
                f"try again when it is done"
            )
        await asyncio.sleep(_POLL_S)
    try:
        yield
    finally:
        lock.release()


async def to_its_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Await `work`; when the caller is cancelled, end the work first, and then be cancelled.

    A worker thread cannot be stopped: without this its write would go on without the lock.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
