"""How late this process runs: time lost to the machine or a busy event loop does not count."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

BEAT_S = 0.005


@dataclass(slots=True)
class Heartbeat:
    """The beats of an event loop, and how late each one came."""

    beats: list[tuple[float, float, float]] = field(
        default_factory=list[tuple[float, float, float]]
    )
    """(perf_counter, seconds late, how many of them the loop's own thread worked) of each beat."""

    async def beat(self) -> None:
        """Record beats until cancelled."""
        while True:
            begun, worked = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT_S)
            now = time.perf_counter()
            late = max(0.0, now - begun - BEAT_S)
            self.beats.append((now, late, min(late, time.thread_time() - worked)))

    def late_s(self, start: float, end: float) -> float:
        """Seconds between two moments for which the loop was late."""
        return sum(late for at, late, _ in self.beats if start <= at <= end + late)

    def stolen_s(self, start: float, end: float) -> float:
        """The part of `late_s` in which other programs or threads ran, not the loop's thread."""
        return sum(late - own for at, late, own in self.beats if start <= at <= end + late)


@asynccontextmanager
async def heartbeat() -> AsyncGenerator[Heartbeat]:
    """A heartbeat that measures while the block runs."""
    heart = Heartbeat()
    task = asyncio.create_task(heart.beat())
    try:
        yield heart
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
