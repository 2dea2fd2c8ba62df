"""What a round of a recall costs beside embedding, and beside one plain search of the same store.

    python -m benchmarks.engine                                   # some minutes
    python -m benchmarks.engine --sizes 2000 --questions 4        # some seconds

The whole engine runs: playbook planner, both legs, fusion, selection, critic, trace. Only the
embedding model is replaced, by one that answers at once: passages and queries lie in random
clusters, and words follow Zipf's law over the words of the playbooks, so that both legs find.
Each size ends with the ratios to one dense query of the same store, asked in the same minutes.
The processor time of all threads stands beside: other programs disturb it less than the clock.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from hashlib import blake2b
from pathlib import Path

import numpy as np
from benchmarks.store_scaling import World, fill, say

from secondhop.assembly import assemble, cached_embedders
from secondhop.graph.builder import RecallGraph, build_recall_graph
from secondhop.models.embedder import Vectors
from secondhop.nodes.config import Config
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.prompts.library import shipped_intents
from secondhop.ranking.words import words
from secondhop.running import run_recall
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.store_directory import StoreDirectory

PLAN = ("begin", "decompose", "expand", "dispatch", "suggest")
ENGINE = ("fuse", "rerank", "diversify", "critique", "pick")
_K = 40


class InstantEmbedder:
    """A text's vector lies in the cluster that its hash names; the same text, the same vector."""

    model_id = "bge-small-en-v1.5 as random clusters"
    """Begins like the default model's, so that scores are calibrated."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.dimension = world.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [n, dim], rows of unit length."""
        seeds = [blake2b(text.encode(), digest_size=8).digest() for text in texts]
        return self._world.near_centres([int.from_bytes(seed) for seed in seeds])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As passages."""
        return await self.embed_passages(texts)


class Stopwatch:
    """Milliseconds of the stages of recalls, by name; one list entry a round, or a recall."""

    def __init__(self) -> None:
        self.taken: defaultdict[str, list[float]] = defaultdict(list)
        self.worked: defaultdict[str, list[float]] = defaultdict(list)
        """Processor time, what the graph does around a node included."""

    async def recall(self, question: str, graph: RecallGraph, *, services: Services) -> None:
        """Time one recall.

        A stage is over when its last event comes; what a node did not do itself is the graph's.
        """
        ms: defaultdict[str, float] = defaultdict(float)
        cpu: defaultdict[str, float] = defaultdict(float)
        begun = last = time.perf_counter()
        busy = time.process_time()
        rounds = 1
        asked: RecallInput = {"question": question, "k": 8}
        async for event in run_recall(graph, asked, services=services):
            now, worked = time.perf_counter(), time.process_time()
            waited = 1e3 * (now - last)
            own = waited if event.node in {"retrieve", "end"} else min(event.ms, waited)
            ms[event.node] += own
            ms["graph"] += waited - own
            cpu[event.node] += 1e3 * (worked - busy)
            last, busy, rounds = now, worked, max(rounds, event.round)
        ms["recall"], cpu["recall"] = 1e3 * (last - begun), sum(cpu.values())
        self.taken["rounds"].append(rounds)
        note(self.taken, ms, rounds=rounds)
        note(self.worked, cpu, rounds=rounds)


def note(stages: defaultdict[str, list[float]], ms: Mapping[str, float], *, rounds: int) -> None:
    """Enter one recall, from its milliseconds by node."""
    stages["recall"].append(ms["recall"])
    stages["plan"].append(sum(ms[node] for node in PLAN))
    stages["engine"].append(sum(ms[node] for node in ENGINE) / rounds)
    stages["resolve, trace"].append(ms["resolve"] + ms["end"])
    for node in ("retrieve", "graph", *ENGINE):
        stages[node].append(ms[node] / rounds)


def playbook_words() -> list[str]:
    """The words of the playbooks' queries, the most frequent first."""
    counts = Counter(
        word
        for intent in shipped_intents()
        for facet in intent.facets
        for query in facet.queries
        for word in words(query)
    )
    return [word for word, _ in counts.most_common()]


def questions(count: int) -> list[str]:
    """Questions of as many playbooks, the same ones in every run."""
    asks = [intent.asks[0] for intent in shipped_intents()]
    chosen = np.random.default_rng(1).permutation(len(asks))[:count]
    return [asks[place] for place in chosen.tolist()]


async def dense_query_ms(store: EntityStore, world: World, *, repeat: int) -> float:
    """Median of one dense query, the baseline."""
    taken: list[float] = []
    for _ in range(repeat):
        vector = world.vectors(1)
        begun = time.perf_counter()
        await store.dense(vector, k=_K)
        taken.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(taken)


async def size_report(size: int, *, dimension: int, count: int) -> AsyncIterator[str]:
    """Lines about one entity of `size` passages."""
    world = World(dimension=dimension, words=playbook_words())
    embedder = InstantEmbedder(world)
    with tempfile.TemporaryDirectory() as folder:
        caches = cached_embedders(
            embedder,
            entity_cache=Path(folder) / "own.db",
            library_cache=Path(folder) / "playbooks.db",
        )
        async with aclosing(StoreDirectory(Path(folder) / "store")) as home, aclosing(caches):
            store = await home.open_entity("me", embedder_id=embedder.model_id, dimension=dimension)
            async with aclosing(store):
                await fill(store, world, passages=size)
                services = assemble(store, caches, entity="me", settings=Config())
                await services.playbooks.warm()
                graph = build_recall_graph(services)
                first, *asked = questions(count + 1)
                await Stopwatch().recall(first, graph, services=services)
                watch, bare = Stopwatch(), list[float]()
                for question in asked:
                    bare.append(await dense_query_ms(store, world, repeat=5))
                    await watch.recall(question, graph, services=services)
        for line in table(size, watch, baseline=statistics.median(bare)):
            yield line


def table(size: int, watch: Stopwatch, *, baseline: float) -> list[str]:
    """The medians, in milliseconds and in dense queries."""
    rounds = statistics.fmean(watch.taken["rounds"])
    lines = [
        f"{size:,} passages, medians of {len(watch.taken['recall'])} recalls of "
        f"{rounds:.1f} rounds; one dense query of 40: {baseline:.2f} ms",
        f"  {'':32}{'ms':>8}{'dense queries':>16}{'processor ms':>15}",
    ]
    rows = [("a round: retrieve, all queries", "retrieve")]
    rows += [(f"a round: {node}", node) for node in ENGINE]
    rows += [
        (f"a round: {ENGINE[0]} to {ENGINE[-1]}", "engine"),
        ("a round: the graph itself", "graph"),
        ("a recall: plan", "plan"),
        ("a recall: resolve, trace", "resolve, trace"),
        ("a recall, all in all", "recall"),
    ]
    for label, stage in rows:
        ms, cpu = (statistics.median(known[stage]) for known in (watch.taken, watch.worked))
        worked = "" if stage == "graph" else f"{cpu:15.1f}"
        lines.append(f"  {label:<32}{ms:8.1f}{ms / baseline:16.1f}{worked}")
    return lines


async def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--questions", type=int, default=20)
    wanted = parser.parse_args()
    for size in wanted.sizes:
        async for line in size_report(size, dimension=wanted.dimension, count=wanted.questions):
            say(line)


if __name__ == "__main__":
    asyncio.run(main())
