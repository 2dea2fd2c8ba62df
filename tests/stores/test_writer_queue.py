"""Writers of one event loop get the lock in order, no matter how many wait."""

import asyncio
import threading
import time
from pathlib import Path

from secondhop.stores.locks import WriterLock, to_its_end, writer_turn


async def test_writers_of_one_loop_take_turns_however_many_wait(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    order: list[int] = []

    async def write(number: int) -> None:
        async with writer_turn(WriterLock(path), timeout_s=0.05):
            order.append(number)
            await asyncio.sleep(0.02)

    await asyncio.gather(*(write(number) for number in range(20)))

    assert order == list(range(20))


async def test_the_lock_is_held_until_the_write_ends_however_often_it_is_cancelled(
    tmp_path: Path,
) -> None:
    path = tmp_path / "writer.lock"
    goes_on, seen = threading.Event(), list[str]()

    def work() -> None:
        goes_on.wait(5)
        seen.append("the first writes")

    async def write() -> None:
        async with writer_turn(WriterLock(path), timeout_s=1):
            await to_its_end(asyncio.to_thread(work))

    writing = asyncio.create_task(write())
    for _ in range(3):
        await asyncio.sleep(0.02)
        writing.cancel()
    asyncio.get_running_loop().call_later(0.05, goes_on.set)
    async with writer_turn(WriterLock(path), timeout_s=5):
        seen.append("the second holds the lock")

    assert seen == ["the first writes", "the second holds the lock"]
    assert writing.cancelled()


async def test_a_lock_is_freed_if_its_release_is_cancelled_while_all_threads_are_busy(
    tmp_path: Path,
) -> None:
    path, leaving = tmp_path / "writer.lock", asyncio.Event()

    async def write() -> None:
        async with writer_turn(WriterLock(path), timeout_s=1):
            loop = asyncio.get_running_loop()
            busy.extend(loop.run_in_executor(None, time.sleep, 0.02) for _ in range(64))
            leaving.set()

    busy: list[asyncio.Future[None]] = []
    writing = asyncio.create_task(write())
    await leaving.wait()
    await asyncio.sleep(0)
    writing.cancel()
    await asyncio.gather(*busy)

    async with writer_turn(WriterLock(path), timeout_s=1):
        assert writing.cancelled()
