"""The memories that a server has open: one `Recall` an entity."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from secondhop.recall import Recall

AT_MOST = 32
"""Memories open at once; each holds some files open."""


@dataclass(slots=True)
class Opened:
    """A memory, and how many calls are at work on it."""

    recall: Recall
    files: AsyncExitStack
    users: int = 0


class OpenRecalls:
    """Opens a memory when it is first asked for, and closes what rested longest for another.

    A context manager: everything is closed in the end.
    """

    def __init__(
        self,
        open_one: Callable[[str], AbstractAsyncContextManager[Recall]],
        *,
        at_most: int = AT_MOST,
    ) -> None:
        """`open_one` opens the memory of an entity."""
        self._open_one, self._at_most = open_one, at_most
        self._opened: OrderedDict[str, Opened] = OrderedDict()
        self._changed = asyncio.Condition()

    @property
    def entities(self) -> list[str]:
        """Whose memories are open; the one that rested longest first."""
        return list(self._opened)

    @asynccontextmanager
    async def of(self, entity: str) -> AsyncGenerator[Recall, None]:
        """The memory of an entity, for one call; waits while all that may be open are at work."""
        async with self._changed:
            one = self._opened.get(entity) or await self._open(entity)
            one.users += 1
            self._opened.move_to_end(entity)
        try:
            yield one.recall
        finally:
            async with self._changed:
                one.users -= 1
                self._changed.notify_all()

    async def _open(self, entity: str) -> Opened:
        """Open one more; the condition is held."""
        while len(self._opened) >= self._at_most:
            resting = next((name for name, one in self._opened.items() if not one.users), None)
            if resting is None:
                await self._changed.wait()
            else:
                await self._opened.pop(resting).files.aclose()
            if entity in self._opened:  # somebody else opened it while this one waited
                return self._opened[entity]
        files = AsyncExitStack()
        self._opened[entity] = Opened(
            await files.enter_async_context(self._open_one(entity)), files
        )
        return self._opened[entity]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        async with AsyncExitStack() as files:  # one that fails to close does not keep others open
            while self._opened:
                files.push_async_callback(self._opened.popitem()[1].files.aclose)
