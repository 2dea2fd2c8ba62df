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
    """What `work` makes of each, in the order of `things`; the first error ends them all.

    Args:
        at_once: bound on concurrent work; 1 does one after another, in order.
        progress: hears how many are done.
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

    tasks = [asyncio.ensure_future(one(thing)) for thing in things]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
