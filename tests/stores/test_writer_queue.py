"""Writers of one event loop get the lock in their order, however many of them wait."""

import asyncio
from pathlib import Path

import pytest

from secondhop.errors import StoreBusyError
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


async def test_another_process_that_goes_on_writing_is_an_error_in_the_end(tmp_path: Path) -> None:
    other = WriterLock(tmp_path / "writer.lock")
    release = other.try_acquire()
    assert release
    with pytest.raises(StoreBusyError, match="another process"):
        async with writer_turn(other, timeout_s=0.05):
            pass
    release()
    async with writer_turn(other, timeout_s=0.05):
        pass
