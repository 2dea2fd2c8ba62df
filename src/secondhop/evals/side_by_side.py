"""Runs many tasks at once, up to a limit."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


async def side_by_side(
    things: Sequence[S],
    work: Callable[[S], Awaitable[T]],
    *,
    at_once: int,
    progress: Callable[[int], None] | None = None,
) -> list[T]:
    """The results of `work`, in the order of `things`. The first error cancels the others.

    Args:
        at_once: how many run at once; with 1 they run in order.
        progress: called with the number done, first with 0.
    """
    gate, done = asyncio.Semaphore(at_once), 0

    async def one(thing: S) -> T:
        nonlocal done
        async with gate:
            made = await work(thing)
        done += 1
        if progress:
            progress(done)
        return made

    if progress:
        progress(0)
    tasks = [asyncio.ensure_future(one(thing)) for thing in things]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
