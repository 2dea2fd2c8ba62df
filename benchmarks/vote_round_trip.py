"""What a vote on a session costs over MCP, beside the session's first answer from the same store.

    python -m benchmarks.vote_round_trip                                   # a minute or two
    python -m benchmarks.vote_round_trip --passages 1000 --questions 4     # some seconds

A real client calls the real server in one process; the whole engine runs, without a language
model, and sessions lie in a file. Memories are made up as in `benchmarks.engine`: their vectors lie
in random clusters. Queries are embedded by the real model, so that its share is real, and are then
given a place among the clusters.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.engine import InstantEmbedder, playbook_words, questions
from benchmarks.store_scaling import World, fill, say
from mcp import Client

from secondhop.assembly import assemble, cached_embedders
from secondhop.mcp.server import memory_server
from secondhop.models.choose_embedder import chosen_embedder
from secondhop.models.embedder import Embedder, Vectors
from secondhop.nodes.config import Config
from secondhop.opening import parts_of
from secondhop.recall import Recall
from secondhop.recall_pool import RecallPool
from secondhop.stores.store_directory import StoreDirectory

ENTITY = "me"
DIMENSION = 384


class TimedEmbedder(InstantEmbedder):
    """Lets the real model embed every query, counts what that takes, and gives it a cluster."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.real: Embedder | None = None
        """None: not needed yet, as for the playbooks."""
        self.ms = 0.0
        """Spent in the real model, since somebody last set it to 0."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """float32 [n, dim], rows of unit length."""
        if self.real is not None:
            begun = time.perf_counter()
            await self.real.embed_queries(texts)
            self.ms += 1e3 * (time.perf_counter() - begun)
        return await super().embed_queries(texts)


@dataclass(slots=True)
class Calls:
    """Of one kind."""

    ms: list[float] = field(default_factory=list[float])
    embedding_ms: list[float] = field(default_factory=list[float])

    def p(self, share: float) -> float:
        """A quantile of the round trips, in milliseconds."""
        return float(np.quantile(self.ms, share))

    def embedding(self) -> float:
        """Share of all their time that went into embedding, 0..1."""
        return sum(self.embedding_ms) / sum(self.ms)


class Stopwatch:
    """Calls tools of a server and notes what each took."""

    def __init__(self, client: Client, embedder: TimedEmbedder) -> None:
        self._client, self._embedder = client, embedder
        self.taken: dict[str, Calls] = {}

    async def call(self, tool: str, arguments: dict[str, Any], *, kind: str) -> dict[str, Any]:
        """Its structured answer."""
        self._embedder.ms, begun = 0.0, time.perf_counter()
        done = await self._client.call_tool(tool, arguments)
        calls = self.taken.setdefault(kind, Calls())
        calls.ms.append(1e3 * (time.perf_counter() - begun))
        calls.embedding_ms.append(self._embedder.ms)
        if done.is_error or done.structured_content is None:
            raise SystemExit(f"{tool} failed: {done.content}")
        return dict(done.structured_content)


async def ask(question: str, watch: Stopwatch) -> None:
    """A session: two rounds of votes, then it is resolved. Then a recall, its queries known."""
    answer = await watch.call("recall_session_start", {"query": question}, kind="first answer")
    for kind, votes in (("vote", ("hot", "cold")), ("vote with a spark", ("hot", "spark"))):
        new = [memory["id"] for memory in answer["memories"] if not memory["vote"]]
        shown = new or [memory["id"] for memory in answer["memories"]]
        ballot = dict(zip(shown, votes, strict=False))
        arguments = {"sessionId": answer["sessionId"], "votes": ballot}
        answer = await watch.call("recall_vote", arguments, kind=kind)
    ended = {"sessionId": answer["sessionId"]}
    await watch.call("recall_resolve", ended, kind="resolve")
    await watch.call("recall", {"query": question}, kind="recall, asked again")


class OnePool(RecallPool):
    """Gives the same memory for every entity."""

    def __init__(self, recall: Recall) -> None:
        super().__init__(embedder="hashing")
        self._recall = recall

    @asynccontextmanager
    async def recall(self, entity: str) -> AsyncGenerator[Recall, None]:
        yield self._recall


async def measured(passages: int, *, count: int) -> dict[str, Calls]:
    """Every kind of call over one entity's store of that size."""
    world = World(dimension=DIMENSION, words=playbook_words())
    embedder = TimedEmbedder(world)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        caches = cached_embedders(
            embedder, entity_cache=place / "own.db", library_cache=place / "playbooks.db"
        )
        home = StoreDirectory(place / "store")
        store = await home.open_entity(ENTITY, embedder_id=embedder.model_id, dimension=DIMENSION)
        await fill(store, world, passages=passages)
        services = assemble(store, caches, entity=ENTITY, settings=Config())
        recall = Recall(parts_of(home, store, caches, services))
        async with recall:
            await services.playbooks.warm()
            embedder.real = await chosen_embedder("default")
            async with Client(memory_server(OnePool(recall), entity=ENTITY)) as client:
                first, *asked = questions(count + 1)
                await ask(first, Stopwatch(client, embedder))
                watch = Stopwatch(client, embedder)
                for question in asked:
                    await ask(question, watch)
                return watch.taken


def table(passages: int, taken: dict[str, Calls]) -> list[str]:
    """Milliseconds, and what they are beside the first answer."""
    baseline = taken["first answer"].p(0.5)
    lines = [
        f"{passages:,} passages, round trips over MCP in one process",
        f"  {'':26}{'calls':>6}{'p50 ms':>9}{'p95 ms':>9}{'first answers':>15}{'embedding':>11}",
    ]
    for kind, calls in taken.items():
        lines.append(
            f"  {kind:26}{len(calls.ms):6}{calls.p(0.5):9.0f}{calls.p(0.95):9.0f}"
            f"{calls.p(0.5) / baseline:15.2f}{calls.embedding():11.0%}"
        )
    return lines


async def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=20)
    wanted = parser.parse_args()
    for line in table(wanted.passages, await measured(wanted.passages, count=wanted.questions)):
        say(line)


if __name__ == "__main__":
    asyncio.run(main())
