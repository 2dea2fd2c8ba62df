"""Memories that a server has open."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from secondhop.mcp.recalls import OpenRecalls
from secondhop.recall import Recall


class Log:
    """Opens names, and notes what was opened and closed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    @asynccontextmanager
    async def open_one(self, entity: str) -> AsyncGenerator[Recall, None]:
        self.lines.append(f"open {entity}")
        await asyncio.sleep(0)
        yield cast(Recall, entity)
        self.lines.append(f"close {entity}")


async def use(recalls: OpenRecalls, entity: str) -> None:
    async with recalls.of(entity):
        await asyncio.sleep(0)


async def test_a_memory_is_opened_once_however_many_ask_for_it() -> None:
    log = Log()
    async with OpenRecalls(log.open_one) as recalls:
        await asyncio.gather(*(use(recalls, "a") for _ in range(5)))

    assert log.lines == ["open a", "close a"]


async def test_what_rested_longest_is_closed_for_another() -> None:
    log = Log()
    async with OpenRecalls(log.open_one, at_most=2) as recalls:
        for entity in ("a", "b", "a", "c"):
            await use(recalls, entity)
        assert recalls.entities == ["a", "c"]

    assert log.lines[:4] == ["open a", "open b", "close b", "open c"]
    assert sorted(log.lines[4:]) == ["close a", "close c"]


async def test_who_asks_for_one_too_many_waits_and_what_is_at_work_stays_open() -> None:
    log = Log()
    async with OpenRecalls(log.open_one, at_most=1) as recalls:
        async with recalls.of("a"):
            waiting = [asyncio.create_task(use(recalls, "b")) for _ in range(2)]
            await asyncio.sleep(0.01)
            assert log.lines == ["open a"]
        await asyncio.wait_for(asyncio.gather(*waiting), timeout=5)

    assert log.lines == ["open a", "close a", "open b", "close b"]
