"""Reads a conversation within limits: with a model if possible, else by plain forms."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from secondhop.errors import ModelError
from secondhop.models.llm import Usage
from secondhop.nodes.budget import Remaining, usage_of_failure
from secondhop.nodes.config import RecallLimits
from secondhop.observe.plain import PLAIN, endings_in, plain_readings
from secondhop.observe.port import SPEAKER, Reading, Readings, Turn, in_order
from secondhop.observe.records import DroppedReading
from secondhop.stores.records import Memory

if TYPE_CHECKING:
    from secondhop.observe.llm import LLMObserver

STRETCH_TOKENS = 4_000
"""How many tokens a model reads in one call; with more, it misses things in the middle."""


@dataclass(slots=True)
class Heap:
    """What has been read so far, and what it cost."""

    found: list[Reading] = field(default_factory=list[Reading])
    dropped: list[DroppedReading] = field(default_factory=list[DroppedReading])
    degraded: dict[str, None] = field(default_factory=dict[str, None])
    usage: Usage = field(default_factory=Usage)
    readers: dict[str, None] = field(default_factory=dict[str, None])
    """Ids of the readers, in the order of their first stretch."""

    def add(self, readings: Readings, *, start: int, reader: str) -> None:
        """Add what one reader found in the stretch that begins at turn `start`."""
        self.readers[reader] = None
        self.usage += readings.usage
        self.dropped += readings.dropped
        for one in readings.found:
            span = replace(one.span, message=one.span.message + start)
            self.found.append(replace(one, span=span))


async def read_all(
    turns: Sequence[Turn],
    known: Sequence[Memory],
    *,
    observer: "LLMObserver | None",
    limits: RecallLimits,
) -> Heap:
    """What the whole conversation says; `limits` bound all calls together.

    Args:
        observer: reads each stretch; if it is None or fails, plain forms are read instead.
    """
    heap = Heap()
    if observer is None:
        heap.add(await in_forms(turns), start=0, reader=PLAIN)
        return heap
    begun = time.monotonic()
    whole = Remaining(
        rounds=0,
        llm_calls=limits.llm_calls,
        llm_tokens=limits.llm_tokens,
        seconds=limits.deadline_s,
    )
    for start, part in stretches(turns):
        left = whole.after(heap.usage, seconds=time.monotonic() - begun)
        try:
            if not left.affords_model:
                raise ModelError("no model call is left for the rest of this conversation")
            async with asyncio.timeout(max(left.seconds, 0.01)):
                readings = await observer.read(part, known, left=left)
            ended = await asyncio.to_thread(endings_in, part)
            found = in_order([*readings.found, *ended])
            heap.add(replace(readings, found=found), start=start, reader=observer.observer_id)
        except (ModelError, TimeoutError) as error:
            said = str(error) or "no answer in time"
            heap.degraded[f"observe: {said}; plain forms were read instead"] = None
            heap.usage += usage_of_failure(error)
            heap.add(await in_forms(part), start=start, reader=PLAIN)
    return heap


async def in_forms(turns: Sequence[Turn]) -> Readings:
    """What plain forms find, read in a thread: a megabyte of short lines takes many seconds."""
    return await asyncio.to_thread(plain_readings, turns)


def stretches(turns: Sequence[Turn]) -> Iterator[tuple[int, Sequence[Turn]]]:
    """(index of the first turn, turns) of stretches of at most STRETCH_TOKENS.

    A longer turn makes a stretch of its own. Stretches without a message of the user are left out.
    """
    from secondhop.observe.sheet import sizes  # a turn's size as shown to a model

    start, room = 0, STRETCH_TOKENS
    for place, size in enumerate(sizes(turns)):
        if size > room and place > start:
            yield from told(turns, start, place)
            start, room = place, STRETCH_TOKENS
        room -= size
    yield from told(turns, start, len(turns))


def told(turns: Sequence[Turn], start: int, end: int) -> Iterator[tuple[int, Sequence[Turn]]]:
    """One stretch, if it has a message of the user."""
    if any(turn.role == SPEAKER for turn in turns[start:end]):
        yield start, turns[start:end]
