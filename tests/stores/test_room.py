"""Whoever waits for room gets it in order, in any event loop, and a cancelled wait takes none."""

import asyncio
import threading

from secondhop.stores.room import Room


async def test_a_place_that_is_left_in_one_event_loop_is_given_in_another() -> None:
    room = Room(1)
    await room.enter(within_s=60)
    other = threading.Thread(target=asyncio.run, args=(room.enter(within_s=60),))
    other.start()
    waiting = room._waiting  # pyright: ignore[reportPrivateUsage] - to be sure that it waits
    while not waiting:  # noqa: ASYNC110 - in another thread
        await asyncio.sleep(0.001)

    await asyncio.to_thread(room.leave)

    await asyncio.to_thread(other.join, 5)
    assert not other.is_alive()


async def test_a_cancelled_wait_leaves_the_place_to_the_next() -> None:
    room = Room(1)
    await room.enter(within_s=60)
    waiting = [asyncio.create_task(room.enter(within_s=60)) for _ in range(3)]
    await asyncio.sleep(0)

    waiting[0].cancel()
    await asyncio.wait(waiting[:1])
    room.leave()
    waiting[1].cancel()  # at the moment in which it has been given the place

    await asyncio.wait_for(waiting[2], timeout=5)
    assert waiting[1].cancelled()


async def test_a_wait_ends_and_takes_no_place() -> None:
    room = Room(1)
    await room.enter(within_s=0)

    assert [await room.enter(within_s=one) for one in (0, 0.01)] == [False, False]
    room.leave()
    assert await room.enter(within_s=0)
