"""What the start of a session takes, beside one plain scan of the same catalog.

    python -m benchmarks.briefing                    # 10,000 memories, about a minute
    python -m benchmarks.briefing --sizes 1000

The store is one somebody could have: a fifth conversations of several passages, some facts,
preferences, things to do, core entries, superseded and expired memories, and counters of what was
of use. Vectors are left out: a briefing looks at none.
"""

import argparse
import asyncio
import sqlite3
import statistics
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from secondhop.briefing.briefing import Briefing
from secondhop.briefing.sources import BriefingAsked, BriefingSources
from secondhop.briefing.start import brief
from secondhop.memories.building import memory_from
from secondhop.memories.records import Fact, Preference
from secondhop.models.tokens import count_tokens
from secondhop.nodes.config import BriefingSettings
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.counters import CounterStore, Use
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import Keeping, KeepingChange
from secondhop.stores.locks import WriterLock
from secondhop.stores.records import EmbeddedMemory, Memory, Message, Passage, passage_id_of
from secondhop.stores.vectors.memory_index import MemoryIndex

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
_WORDS = 120
_VOCABULARY = 20_000
_BASELINE = "SELECT memory_id, title, created_at, messages FROM memories"


class Life:
    """Memories by Zipf's law, the same ones in every run."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        share = 1 / np.arange(1, _VOCABULARY + 1)
        self._cumulated = np.cumsum(share / share.sum())

    def text(self, words: int) -> str:
        """So many words."""
        drawn = np.searchsorted(self._cumulated, self._random.random(words))
        return " ".join(f"w{min(int(rank), _VOCABULARY - 1)}" for rank in drawn)

    def memories(self, count: int) -> Iterator[Memory]:
        """One every two hours, backwards from now; by its number of this or that kind."""
        for number in range(count):
            at = NOW - timedelta(hours=2 * number + 1)
            memory_id = f"m{number}"
            if number % 10 == 3:
                fact = Fact(subject=f"s{number}", attribute=self.text(1), value=self.text(3))
                yield memory_from(fact, title="", at=at, memory_id=memory_id)
            elif number % 50 == 7:
                scope = "always" if number % 100 == 7 else self.text(3)
                wish = Preference(text=self.text(9), scope=scope, topic=f"t{number}")
                yield memory_from(wish, title="", at=at, memory_id=memory_id)
            else:
                turns = 6 if number % 5 == 0 else 1
                messages = tuple(
                    Message(("user", "assistant")[n % 2], self.text(_WORDS)) for n in range(turns)
                )
                yield Memory(
                    memory_id=memory_id,
                    title=self.text(5),
                    source="conversation" if turns > 1 else "note",
                    created_at=at,
                    messages=messages,
                )


def embedded(memory: Memory) -> EmbeddedMemory:
    """One passage a message, without a vector that would mean anything."""
    passages = tuple(
        Passage(
            passage_id=passage_id_of(memory, place),
            memory_id=memory.memory_id,
            ordinal=place,
            text=message.content,
            tokens=_WORDS,
        )
        for place, message in enumerate(memory.messages)
    )
    vectors = np.ones((len(passages), 1), dtype=np.float32)
    return EmbeddedMemory(memory=memory, passages=passages, vectors=vectors)


def keeping_changes(count: int) -> list[KeepingChange]:
    """Marks, and memories that do not hold any more."""
    old = NOW - timedelta(days=1)
    kinds = {
        11: Keeping(mark="open"),
        12: Keeping(superseded_at=old, superseded_by="m0"),
        13: Keeping(valid_until=old),
        14: Keeping(deprecated_at=old),
        15: Keeping(salience=0.9),
    }
    changes = [
        KeepingChange(memory_id=f"m{n}", keeping=kinds[n % 40], act="changed", at=NOW)
        for n in range(count)
        if n % 40 in kinds
    ]
    return [
        replace(one, keeping=Keeping(mark="core")) if n % 100 == 0 else one
        for n, one in enumerate(changes)
    ]


async def fill(store: EntityStore, counters: CounterStore, *, size: int) -> None:
    """Store them, and count what was of use."""
    batch: list[EmbeddedMemory] = []
    for memory in Life().memories(size):
        batch.append(embedded(memory))
        if len(batch) == 500:
            await store.put(batch)
            batch = []
    if batch:
        await store.put(batch)
    changes = keeping_changes(size)
    await store.change(lambda _: changes)
    random = np.random.default_rng(1)
    for number in range(300):
        ids = [f"m{n}" for n in random.integers(0, size, 6)]
        at = NOW - timedelta(days=int(random.integers(0, 300)))
        await counters.count(
            Use(trace_id=f"t{number}", at=at, retrieved=ids, shown=ids, accepted=ids[:2])
        )


class Times(NamedTuple):
    """Of several runs, in milliseconds."""

    median: float
    p95: float
    processor: float
    """Of all threads: other programs move it less than the clock."""


async def times(work: Callable[[], Awaitable[object]], *, runs: int) -> Times:
    """After one run to warm up."""
    await work()
    taken: list[float] = []
    processor = process_time()
    for _ in range(runs):
        begun = perf_counter()
        await work()
        taken.append((perf_counter() - begun) * 1000)
    processor = (process_time() - processor) * 1000 / runs
    p95 = sorted(taken)[int(0.95 * (runs - 1))]
    return Times(statistics.median(taken), p95, processor)


async def measure(size: int, *, runs: int) -> None:
    """Print both times and the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        store = EntityStore(
            Catalog(path / "catalog.db"),
            MemoryIndex(),
            identity=Identity(entity="e", embedder_id="none", dimension=1),
            lock=WriterLock(path / "lock"),
        )
        async with aclosing(store):
            counters = CounterStore(path / "counters.db")
            await fill(store, counters, size=size)
            sources = BriefingSources(
                entity="e",
                store=store,
                counters=counters,
                count_tokens=count_tokens,
            )

            async def told(*, limit: int | None, tokens: int | None) -> Briefing:
                asked = BriefingAsked(
                    now=NOW, until=None, limit=limit, tokens=tokens, settings=BriefingSettings()
                )
                return await brief(sources, asked)

            async def scan() -> None:
                await asyncio.to_thread(scanned, path / "catalog.db")

            plain = await times(scan, runs=runs)
            entries = await times(lambda: told(limit=20, tokens=None), runs=runs)
            tokens = await times(lambda: told(limit=None, tokens=1500), runs=runs)
    print(f"{size} memories")
    rows = (("one plain scan", plain), ("20 entries", entries), ("1,500 tokens", tokens))
    for name, taken in rows:
        print(
            f"  {name:14}  median {taken.median:6.1f} ms, p95 {taken.p95:6.1f}, "
            f"processor {taken.processor:6.1f} ({taken.median / plain.median:.2f} of a scan)"
        )


def scanned(path: Path) -> int:
    """What a session start does without an index: read every memory."""
    with closing(sqlite3.connect(path)) as connection:
        return len(connection.execute(_BASELINE).fetchall())


def main() -> None:
    """Print every measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--runs", type=int, default=50)
    asked = parser.parse_args()
    for size in asked.sizes:
        asyncio.run(measure(size, runs=asked.runs))


if __name__ == "__main__":
    main()
