"""Writers of one event loop get the lock in order, no matter how many wait."""

import asyncio
from pathlib import Path

from secondhop.stores.locks import WriterLock, writer_turn


async def test_writers_of_one_loop_take_turns_however_many_wait(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    order: list[int] = []

    async def write(number: int) -> None:
        async with writer_turn(WriterLock(path), timeout_s=0.05):
            order.append(number)
            await asyncio.sleep(0.02)

    await asyncio.gather(*(write(number) for number in range(20)))

    assert order == list(range(20))
