"""How the store scales: latency of a round, with the entity's size and with other entities.

    python -m benchmarks.store_scaling                          # a few minutes
    python -m benchmarks.store_scaling --sizes 2000 --others 20 # a few seconds

A round is six dense and six lexical queries, run side by side as a recall does. Vectors lie in
random clusters whose members have a cosine of about 0.75, words follow Zipf's law.
"""

import argparse
import asyncio
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import (
    EmbeddedMemory,
    Memory,
    Message,
    Passage,
    Vectors,
    passage_id_of,
)
from secondhop.stores.store_directory import StoreDirectory

_EMBEDDER = "random clusters"
_K = 40
_QUERIES = 6
_WORDS = 120
_PASSAGES_A_MEMORY = 2
_MEMORIES_A_PUT = 256
_VOCABULARY = 50_000


class World:
    """Random memories and queries, the same ones in every run."""

    def __init__(self, *, dimension: int, clusters: int = 200, words: Sequence[str] = ()) -> None:
        """`words` are used in texts, the first ones most, after the 100 most frequent of all."""
        self.dimension = dimension
        self._random = np.random.default_rng(0)
        self._centres = self._unit(self._random.normal(size=(clusters, dimension)))
        share = 1 / np.arange(1, _VOCABULARY + 1)
        self._cumulated = np.cumsum(share / share.sum())
        made_up = [f"w{number}" for number in range(_VOCABULARY)]
        self._words = np.array([*made_up[:100], *words, *made_up[100:]][:_VOCABULARY])

    def vectors(self, count: int) -> Vectors:
        """float32 [count, dim]; two of one cluster have a cosine of about 0.75."""
        noise = self._unit(self._random.normal(size=(count, self.dimension))) * 0.58
        which = self._random.integers(len(self._centres), size=count)
        return self._unit(self._centres[which] + noise)

    def near_centres(self, seeds: Sequence[int]) -> Vectors:
        """float32 [len(seeds), dim]; as `vectors`, and the same seed gives the same vector."""
        drawn = [np.random.default_rng(seed) for seed in seeds]
        rows = np.array([own.normal(size=self.dimension) for own in drawn])
        which = [seed % len(self._centres) for seed in seeds]
        noise = self._unit(rows.reshape(len(seeds), self.dimension)) * 0.58
        return self._unit(self._centres[which] + noise)

    def text(self, words: int, *, skip: int = 0) -> str:
        """Words by Zipf's law, without the `skip` most frequent ones."""
        ranks = np.searchsorted(self._cumulated, self._random.random(words))
        return " ".join(self._words[np.minimum(ranks + skip, _VOCABULARY - 1)])

    def memories(self, count: int, *, prefix: str = "m") -> list[EmbeddedMemory]:
        """With two passages each."""
        vectors = self.vectors(count * _PASSAGES_A_MEMORY)
        return [
            self._memory(
                f"{prefix}{n}", vectors[n * _PASSAGES_A_MEMORY : (n + 1) * _PASSAGES_A_MEMORY]
            )
            for n in range(count)
        ]

    def _memory(self, memory_id: str, vectors: Vectors) -> EmbeddedMemory:
        memory = Memory(
            memory_id=memory_id,
            title=self.text(5),
            source="note",
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            messages=tuple(Message("user", self.text(_WORDS)) for _ in vectors),
        )
        passages = tuple(
            Passage(
                passage_id=passage_id_of(memory, place),
                memory_id=memory_id,
                ordinal=place,
                text=message.content,
                tokens=_WORDS,
            )
            for place, message in enumerate(memory.messages)
        )
        return EmbeddedMemory(memory=memory, passages=passages, vectors=vectors)

    @staticmethod
    def _unit(rows: npt.NDArray[np.float64]) -> Vectors:
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / norms, dtype=np.float32)


async def fill(store: EntityStore, world: World, *, passages: int) -> list[float]:
    """Milliseconds that each put took."""
    memories = world.memories(passages // _PASSAGES_A_MEMORY)
    taken: list[float] = []
    for start in range(0, len(memories), _MEMORIES_A_PUT):
        begun = time.perf_counter()
        await store.put(memories[start : start + _MEMORIES_A_PUT])
        taken.append(1e3 * (time.perf_counter() - begun))
    return taken


async def rounds(store: EntityStore, world: World, *, repeat: int) -> tuple[float, float, float]:
    """Median milliseconds of (dense, lexical, both side by side) over `repeat` rounds."""
    taken: list[list[float]] = []
    for _ in range(repeat + 1):
        vectors = world.vectors(_QUERIES)
        texts = [world.text(6, skip=100) for _ in range(_QUERIES)]
        marks = [time.perf_counter()]
        await store.dense(vectors, k=_K)
        marks.append(time.perf_counter())
        await store.lexical(texts, k=_K)
        marks.append(time.perf_counter())
        await asyncio.gather(store.dense(vectors, k=_K), store.lexical(texts, k=_K))
        marks.append(time.perf_counter())
        taken.append([1e3 * float(step) for step in np.diff(marks)])
    columns = np.median(np.array(taken[1:]), axis=0)  # the first one loads the index
    return float(columns[0]), float(columns[1]), float(columns[2])


async def recall_at_k(store: EntityStore, world: World, *, queries: int = 50) -> float:
    """Share of the true nearest 40 that the index finds."""
    wanted = [
        f"{memory_id}:{content[:12]}:{place}"
        for memory_id, content in (await store.content_hashes()).items()
        for place in range(_PASSAGES_A_MEMORY)
    ]
    held = await store.vectors(wanted)
    matrix, names = np.stack(list(held.values())), list(held)
    probes = world.vectors(queries)
    found = await store.dense(probes, k=_K)
    shares = [
        len(
            {hit.passage_id for hit in hits}
            & {names[i] for i in np.argsort(-(matrix @ probe))[:_K]}
        )
        / _K
        for probe, hits in zip(probes, found, strict=True)
    ]
    return statistics.fmean(shares)


async def size_report(size: int, *, dimension: int, repeat: int) -> AsyncIterator[str]:
    """Lines about one entity of `size` passages."""
    world = World(dimension=dimension)
    with tempfile.TemporaryDirectory() as folder:
        async with aclosing(StoreDirectory(Path(folder))) as home:
            store = await home.open_entity("me", embedder_id=_EMBEDDER, dimension=dimension)
            async with aclosing(store):
                begun = time.perf_counter()
                puts = await fill(store, world, passages=size)
                seconds = time.perf_counter() - begun
                worst = max(puts)
                yield f"{size:>9,} passages stored in {seconds:.1f} s (worst put {worst:.0f} ms)"
                begun = time.perf_counter()
                await store.put(world.memories(64, prefix="new"))
                small = 1e3 * (time.perf_counter() - begun)
                yield f"{'':9} put of 64 memories x 2 passages: {small:.0f} ms"
                dense, lexical, both = await rounds(store, world, repeat=repeat)
                yield (
                    f"{'':9} round of 6: dense {dense:.1f} ms, lexical {lexical:.1f} ms, "
                    f"side by side {both:.1f} ms"
                )
                long = world.text(2_000)
                begun = time.perf_counter()
                await store.lexical([long], k=_K)
                taken = 1e3 * (time.perf_counter() - begun)
                yield f"{'':9} one lexical query of 2,000 words: {taken:.1f} ms"
                if size <= 10_000:
                    yield f"{'':9} dense recall@{_K}: {await recall_at_k(store, world):.4f}"
        async with aclosing(StoreDirectory(Path(folder))) as home:
            begun = time.perf_counter()
            store = await home.open_entity("me", embedder_id=_EMBEDDER, dimension=dimension)
            await store.aclose()
            yield f"{'':9} open, files checked: {1e3 * (time.perf_counter() - begun):.0f} ms"


async def neighbours_report(others: int, *, dimension: int, repeat: int) -> AsyncIterator[str]:
    """Lines about an entity of 100 memories, alone and among others."""
    with tempfile.TemporaryDirectory() as folder:
        async with aclosing(StoreDirectory(Path(folder))) as home:
            world = World(dimension=dimension)
            me = await home.open_entity("me", embedder_id=_EMBEDDER, dimension=dimension)
            async with aclosing(me):
                await me.put(world.memories(100))
                alone = (await rounds(me, world, repeat=repeat))[2]
                for number in range(others):
                    name = f"other {number}"
                    store = await home.open_entity(name, embedder_id=_EMBEDDER, dimension=dimension)
                    async with aclosing(store):
                        await store.put(world.memories(50))
                among = (await rounds(me, world, repeat=repeat))[2]
        yield (
            f"100 memories: {alone:.1f} ms a round alone, {among:.1f} ms among {others:,} other "
            f"entities (x {among / alone:.2f})"
        )


async def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--others", type=int, default=1_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--repeat", type=int, default=20)
    wanted = parser.parse_args()
    for size in wanted.sizes:
        async for line in size_report(size, dimension=wanted.dimension, repeat=wanted.repeat):
            say(line)
    if wanted.others:
        async for line in neighbours_report(
            wanted.others, dimension=wanted.dimension, repeat=wanted.repeat
        ):
            say(line)
    most_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(f"most memory used: {most_mb:,.0f} MB")


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
