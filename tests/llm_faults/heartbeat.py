"""How late this process runs: what a machine or a busy event loop takes is nobody's deadline."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

BEAT_S = 0.005


@dataclass(slots=True)
class Heartbeat:
    """Beats of an event loop, and how late each of them came."""

    beats: list[tuple[float, float, float]] = field(
        default_factory=list[tuple[float, float, float]]
    )
    """(perf_counter, seconds late, of those seconds the loop's own thread did work)."""

    async def beat(self) -> None:
        """Until it is cancelled."""
        while True:
            begun, worked = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT_S)
            now = time.perf_counter()
            late = max(0.0, now - begun - BEAT_S)
            self.beats.append((now, late, min(late, time.thread_time() - worked)))

    def late_s(self, start: float, end: float) -> float:
        """Seconds between two moments in which the loop served nobody, or somebody else."""
        return sum(late for at, late, _ in self.beats if start <= at <= end + late)

    def stolen_s(self, start: float, end: float) -> float:
        """Of `late_s`, what other programs and threads took from the loop's thread."""
        return sum(late - own for at, late, own in self.beats if start <= at <= end + late)


@asynccontextmanager
async def heartbeat() -> AsyncGenerator[Heartbeat]:
    """Measures as long as the block runs."""
    heart = Heartbeat()
    task = asyncio.create_task(heart.beat())
    try:
        yield heart
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
