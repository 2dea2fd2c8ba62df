"""File locks between processes; the operating system releases them when a process dies.

POSIX only (`flock`). A lock file is never deleted: a process that waits for it would wait forever.
"""

import asyncio
import errno
import fcntl
import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Hashable
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from secondhop.errors import ReadOnlyStoreError, StoreBusyError, StoreError, StoreFullError
from secondhop.stores.open_files import is_too_many, too_many_files
from secondhop.stores.room import Room

_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)


def _open(path: Path) -> int:
    """Open a lock file, making it if necessary. It is the first file that a store writes.

    Raises:
        StoreFullError: no space is left for it.
        ReadOnlyStoreError: the file may not be written.
        StoreError: another failure, such as too many open files.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        try:
            return os.open(path, flags, 0o644)
        except FileNotFoundError:  # the first file of its folder
            path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(path, flags, 0o644)
    except OSError as error:
        place = error.filename or path
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFullError(
                f"no space is left for {place}; free some, and try again"
            ) from error
        if is_too_many(error):
            raise too_many_files(place) from error
        kind = ReadOnlyStoreError if error.errno in _CLOSED else StoreError
        raise kind(
            f"nothing can be stored: {place} cannot be created or written ({error.strerror}); make "
            f"the folder around it writable, or name another one for the store (--store DIR)"
        ) from error


@contextmanager
def _opened(path: Path) -> Generator[int, None, None]:
    descriptor = _open(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)  # releases the lock


class Lock(Protocol):
    """One holder at a time among all processes that share a store; freed if the holder dies."""

    @property
    def key(self) -> Hashable:
        """Equal for locks that exclude each other."""
        ...

    @property
    def room(self) -> Room | None:
        """The room that its holder takes in this process; None if there is room for any
        number."""
        ...

    def try_acquire(self) -> Callable[[], None] | None:
        """Take the lock. Returns a function that frees it; None, without waiting, if it is held.

        The caller has entered `room`, and leaves it after freeing the lock.
        """
        ...

    def for_forgetting(self) -> "Lock":
        """A second lock of the same entity, held while memories are forgotten. Its holder may take
        this one."""
        ...


class WriterLock:
    """A `Lock` on a file."""

    room = None

    def __init__(self, path: Path) -> None:
        self.path, self.key = path, path.resolve()

    def try_acquire(self) -> Callable[[], None] | None:
        """See `Lock`."""
        descriptor = _open(self.path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        return partial(os.close, descriptor)

    def for_forgetting(self) -> "WriterLock":
        """See `Lock`."""
        return WriterLock(self.path.with_suffix(".forgetting"))


class StampedLock:
    """A lock for many readers or one writer, with a stamp that changes at every write.

    A cache in memory is right as long as the stamp, read under the lock, is the same. A different
    stamp means that another process has written in between.
    """

    _STAMP_BYTES = 16

    def __init__(self, path: Path) -> None:
        self._path = path
        # readers pass through this gate; a waiting writer holds it closed, so that a stream of
        # readers cannot keep the writer out forever
        self._gate = path.with_name(path.name + ".gate")

    def shared(self) -> AbstractContextManager[bytes]:
        """A block in which no process writes; gives the stamp."""
        return self._held(fcntl.LOCK_SH)

    def exclusive(self) -> AbstractContextManager[bytes]:
        """A block in which no other process reads or writes; gives the stamp."""
        return self._held(fcntl.LOCK_EX)

    @contextmanager
    def _held(self, how: int) -> Generator[bytes, None, None]:
        with _opened(self._path) as descriptor:
            with _opened(self._gate) as gate:
                fcntl.flock(gate, how)
                fcntl.flock(descriptor, how)
            yield os.pread(descriptor, self._STAMP_BYTES, 0)

    def restamp(self) -> bytes:
        """Write and return a new stamp; only while `exclusive` is held."""
        stamp = os.urandom(self._STAMP_BYTES)
        with _opened(self._path) as descriptor:
            os.pwrite(descriptor, stamp, 0)
        return stamp


_T = TypeVar("_T")
_POLL_S = 0.02

_ROOM_S = 300.0
"""How long to wait for those who write to other entities, of whom there may be hundreds."""


@asynccontextmanager
async def writer_turn(
    lock: Lock, *, timeout_s: float, doing: str = "writing to"
) -> AsyncGenerator[None, None]:
    """Hold a lock of an entity. Tasks that wait in one event loop get it in order.

    Args:
        doing: what its holders do to the entity, for the error's message.

    Raises:
        StoreBusyError: it was held elsewhere for `timeout_s` after this task's turn came.
    """
    async with queue_for(lock.key), _held(lock, timeout_s=timeout_s, doing=doing):
        yield


_Queues: TypeAlias = WeakValueDictionary[Hashable, asyncio.Lock]
_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queues] = WeakKeyDictionary()


def queue_for(key: Hashable) -> asyncio.Lock:
    """The queue of this event loop for `key`; it is dropped when no task uses it."""
    queues = _queues.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    return queues.setdefault(key, asyncio.Lock())


@asynccontextmanager
async def _held(lock: Lock, *, timeout_s: float, doing: str) -> AsyncGenerator[None, None]:
    clock = asyncio.get_running_loop().time
    deadline: float | None = None
    async with AsyncExitStack() as held:
        while not await try_hold(lock, held, room_s=_ROOM_S if timeout_s > 0 else 0.0):
            # the first wait for room is over now: it was no wait for the lock
            deadline = clock() + timeout_s if deadline is None else deadline
            if clock() > deadline:
                raise StoreBusyError(
                    f"something else, in this program or in another one, has been {doing} this "
                    f"entity for {timeout_s:.0f} s; try again when it is done"
                )
            await asyncio.sleep(_POLL_S)
        yield


async def try_hold(lock: Lock, held: AsyncExitStack, *, room_s: float = 0.0) -> bool:
    """Take the lock until `held` ends, if it is free. Returns whether it was.

    Args:
        room_s: how long to wait for room, if this process has none for another holder. Without
            room, the lock counts as held.
    """
    async with AsyncExitStack() as taken:
        if lock.room is not None:
            if not await lock.room.enter(within_s=room_s):
                return False
            taken.callback(lock.room.leave)

        def take() -> bool:
            release = lock.try_acquire()
            if release is not None:
                taken.push_async_callback(lambda: to_its_end(asyncio.to_thread(release)))
            return release is not None

        if is_held := await to_its_end(asyncio.to_thread(take)):
            await held.enter_async_context(taken.pop_all())
        return is_held


async def to_its_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Await `work`. If the caller is cancelled, even repeatedly, finish the work before the
    cancellation goes on.

    A worker thread cannot be stopped: its write would continue after the lock is released.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise
