"""Memories that several callers put at once, stored in one transaction.

One memory costs a transaction of the catalog and two of Chroma, and so do a hundred: those that
have to wait for the writer's lock are stored together by the first that gets it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from secondhop.errors import SecondhopError
from secondhop.stores.catalog.keeping import Decision
from secondhop.stores.locks import queue_for, to_its_end
from secondhop.stores.records import EmbeddedMemory

_PASSAGES = 512


@dataclass(slots=True, eq=False)
class Put:
    """A memory, and what else changes with it or not at all."""

    embedded: EmbeddedMemory
    decide: Decision
    is_stored: bool = False
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)


class JointPuts:
    """The puts of one entity that wait in this process."""

    def __init__(
        self,
        *,
        writing: Callable[[], AbstractAsyncContextManager[None]],
        store: Callable[[Sequence[Put]], Awaitable[None]],
    ) -> None:
        """`writing`: a block in which no one else writes; `store`: stores all of them, or none."""
        self._writing, self._store = writing, store
        self._waiting: list[Put] = []

    async def put(self, embedded: EmbeddedMemory, decide: Decision) -> None:
        """Store it, alone or with others. Those of one event loop are stored in their order."""
        own = Put(embedded, decide)
        self._waiting.append(own)
        try:
            async with queue_for(self):
                if not own.is_stored:
                    async with self._writing():
                        await to_its_end(self._put(own))
        finally:
            if own in self._waiting:
                self._waiting.remove(own)

    async def _put(self, own: Put) -> None:
        """With all that wait; where one of them is refused, alone, and so will each of them be."""
        together = self._taken(own)
        if len(together) > 1:
            try:
                await self._store(together)
            except SecondhopError:
                together = [own]
        if len(together) == 1:
            await self._store(together)
        for one in together:
            one.is_stored = True

    def _taken(self, own: Put) -> list[Put]:
        """This one and those that wait behind it, which wait no more; each memory once."""
        taken, size = {own.embedded.memory.memory_id: own}, len(own.embedded.passages)
        for one in [one for one in self._waiting if one.loop is own.loop and one is not own]:
            size += len(one.embedded.passages)
            if size > _PASSAGES or one.embedded.memory.memory_id in taken:
                break
            taken[one.embedded.memory.memory_id] = one
            self._waiting.remove(one)
        return list(taken.values())
