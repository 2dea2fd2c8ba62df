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

    beats: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """(perf_counter, seconds late) of each beat."""

    async def beat(self) -> None:
        """Record beats until cancelled."""
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(BEAT_S)
            now = time.perf_counter()
            self.beats.append((now, max(0.0, now - begun - BEAT_S)))

    def late_s(self, start: float, end: float) -> float:
        """Seconds between two moments for which the loop was late."""
        return sum(late for at, late in self.beats if start <= at <= end + late)


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
