"""Looks through a whole memory for what newer memories seem to have replaced."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from secondhop.graph.result import Frozen
from secondhop.ranking.arrays import Floats
from secondhop.ranking.supersession import Told, supersessions
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import Memory, Passage, Vectors

MOST = 5_000
"""Memories compared with one another; of more, the newest."""

_PAGE = 256
_ROWS = 512
_DAY_S = 86_400.0


class Suspicion(Frozen):
    """A newer memory seems to have replaced an older one: to be judged, not to be believed."""

    old_id: str
    new_id: str
    old_title: str
    new_title: str
    nearness: float
    because: str
    """The words that say so."""


async def suspected(store: EntityStore, *, threshold: float, now: datetime) -> list[Suspicion]:
    """What seems to be replaced, of all memories that hold; the surest first."""
    memories, passages = await valid_memories(store, now=now)
    if len(memories) < 2:
        return []
    vectors = await store.vectors([p.passage_id for own in passages for p in own])
    kept = [
        (memory, [vectors[p.passage_id] for p in own if p.passage_id in vectors])
        for memory, own in zip(memories, passages, strict=True)
    ]
    found = [(memory, np.stack(rows)) for memory, rows in kept if rows]
    near = await asyncio.to_thread(nearness, [rows for _, rows in found])
    told = [as_told(memory) for memory, _ in found]
    pairs = await asyncio.to_thread(supersessions, told, near, threshold=threshold)
    suspicions = [
        Suspicion(
            old_id=found[old][0].memory_id,
            new_id=found[pair.newer][0].memory_id,
            old_title=found[old][0].title,
            new_title=found[pair.newer][0].title,
            nearness=round(pair.nearness, 4),
            because=pair.because,
        )
        for old, pair in pairs.items()
    ]
    return sorted(suspicions, key=lambda pair: (-pair.nearness, pair.old_id))


async def valid_memories(
    store: EntityStore, *, now: datetime
) -> tuple[list[Memory], list[tuple[Passage, ...]]]:
    """Memories of continuity that hold, at most MOST, with their passages."""
    ended = {
        memory_id
        for memory_id, kept in (await store.keepings()).items()
        if kept.end(now=now) is not None
    }
    found: list[tuple[Memory, tuple[Passage, ...]]] = []
    after = ""
    while page := await store.page(after=after, limit=_PAGE):
        found += [
            (memory, own)
            for memory, own in page
            if memory.kind == "continuity" and memory.memory_id not in ended
        ]
        after = page[-1][0].memory_id
    found.sort(key=lambda one: (one[0].created_at, one[0].memory_id))
    newest = found[-MOST:]
    return [memory for memory, _ in newest], [own for _, own in newest]


def nearness(rows: Sequence[Vectors]) -> Floats:
    """[n, n]: the best cosine over the passages of two memories; -1 with itself."""
    starts = np.cumsum([0, *(len(own) for own in rows)])[:-1]
    stacked = np.concatenate(list(rows))
    best = np.empty((len(stacked), len(rows)), dtype=np.float32)
    for start in range(0, len(stacked), _ROWS):
        block = stacked[start : start + _ROWS] @ stacked.T
        best[start : start + _ROWS] = np.maximum.reduceat(block, starts, axis=1)
    near = np.maximum.reduceat(best, starts, axis=0).astype(np.float64)
    np.fill_diagonal(near, -1.0)
    return near


def as_told(memory: Memory) -> Told:
    """A memory as the detector sees it."""
    return Told(
        title=memory.title,
        text="\n".join(message.content for message in memory.messages),
        day=memory.created_at.timestamp() / _DAY_S,
    )
