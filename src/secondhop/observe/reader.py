"""Reads a conversation within bounds: a model, stretch by stretch; plain forms where it fails."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from secondhop.errors import ModelError
from secondhop.models.llm import Usage
from secondhop.nodes.budget import Remaining, usage_of_failure
from secondhop.nodes.config import RecallLimits
from secondhop.observe.plain import PlainObserver
from secondhop.observe.port import (
    SPEAKER,
    KnownThing,
    Observer,
    ObserveRequest,
    Reading,
    Turn,
)
from secondhop.observe.records import DroppedReading

STRETCH_TOKENS = 4_000
"""Of messages that a model reads in one call: of more it forgets the middle."""


@dataclass(slots=True)
class Heap:
    """What was read so far, and what it cost."""

    found: list[Reading] = field(default_factory=list[Reading])
    dropped: list[DroppedReading] = field(default_factory=list[DroppedReading])
    degraded: dict[str, None] = field(default_factory=dict[str, None])
    usage: Usage = field(default_factory=Usage)
    readers: dict[str, None] = field(default_factory=dict[str, None])
    """Who read the stretches, by id, in the order of their first one."""


async def read_all(
    turns: Sequence[Turn],
    known: Sequence[KnownThing],
    *,
    observer: Observer,
    limits: RecallLimits,
) -> Heap:
    """What the whole conversation says; the bounds of a recall hold for all of it together."""
    heap, plain = Heap(), PlainObserver()
    ends_at = time.monotonic() + limits.deadline_s
    whole = isinstance(observer, PlainObserver)
    for start, part in [(0, turns)] if whole else stretches(turns):
        spent = heap.usage
        left = Remaining(
            rounds=0,
            llm_calls=max(0, limits.llm_calls - spent.calls),
            llm_tokens=max(0, limits.llm_tokens - spent.tokens - spent.lost_tokens),
            seconds=max(0.0, ends_at - time.monotonic()),
        )
        request = ObserveRequest(turns=part, known=known, remaining=left)
        await read_stretch(request, start, heap, readers=(observer, plain))
    return heap


async def read_stretch(
    request: ObserveRequest, start: int, heap: Heap, *, readers: tuple[Observer, Observer]
) -> None:
    """One stretch, by the first reader, or else by the second, which never fails."""
    observer, plain = readers
    reader = observer
    try:
        if observer is not plain and not isinstance(observer, PlainObserver):
            check_budget(request.remaining)
        async with asyncio.timeout(max(request.remaining.seconds, 0.01)):
            readings = await observer.read(request)
    except (ModelError, TimeoutError) as error:
        said = str(error) or "no answer in time"
        heap.degraded[f"observe: {said}; plain forms were read instead"] = None
        heap.usage += usage_of_failure(error)
        reader = plain
        readings = await plain.read(request)
    heap.readers[reader.observer_id] = None
    heap.usage += readings.usage
    heap.dropped += readings.dropped
    for one in readings.found:
        span = replace(one.span, message=one.span.message + start)
        heap.found.append(replace(one, span=span))


def check_budget(left: Remaining) -> None:
    """Raises ModelError when no model may be asked any more."""
    if not left.affords_model:
        raise ModelError("no model call is left for the rest of this conversation")


def stretches(turns: Sequence[Turn]) -> Iterator[tuple[int, Sequence[Turn]]]:
    """(place of its first turn, turns) of pieces of at most STRETCH_TOKENS, where a turn fits.

    Pieces without a message of the user are left out: nothing is read from them.
    """
    from secondhop.observe.sheet import sizes  # of what a model is told

    start, room = 0, STRETCH_TOKENS
    for place, size in enumerate(sizes(turns)):
        if size > room and place > start:
            yield from told(turns, start, place)
            start, room = place, STRETCH_TOKENS
        room -= size
    yield from told(turns, start, len(turns))


def told(turns: Sequence[Turn], start: int, end: int) -> Iterator[tuple[int, Sequence[Turn]]]:
    """One piece, if the user says something in it."""
    if any(turn.role == SPEAKER for turn in turns[start:end]):
        yield start, turns[start:end]
