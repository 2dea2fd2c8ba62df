"""The systems of a contest that need only secondhop: secondhop itself and plain search."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from benchmarks.contest import Asked, Entry, Ground

from secondhop.evals import samples
from secondhop.evals.baselines import BASELINES, plain_rankings
from secondhop.evals.scenarios import store_scenario
from secondhop.models.embedder import Embedder, Vectors
from secondhop.recall import Recall

OURS = "secondhop"


@dataclass(frozen=True, slots=True)
class Whole:
    """secondhop as it is."""

    recall: Recall

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        return (await self.recall.arecall(asked.text, k=k, at=asked.asked_at)).ids()


@dataclass(frozen=True, slots=True)
class Plain:
    """A baseline of `secondhop.evals.baselines`."""

    name: str
    ground: Ground

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        ground = self.ground
        found = await plain_rankings(
            asked.text, k=k, search=ground.recall.admin.store, embedder=ground.embedder
        )
        return found[self.name]


@dataclass(frozen=True, slots=True)
class NearestOfAll:
    """Dense search over passages and cues together; it shows what cues do for plain search."""

    vectors: Vectors
    """[n, dim]; passages first, then cues."""
    memory_ids: Sequence[str]
    embedder: Embedder

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`. A memory has the rank of the nearest of its passages and cues."""
        (question,) = await self.embedder.embed_queries([asked.text])
        order: list[int] = np.argsort(-(self.vectors @ question), kind="stable").tolist()
        return list(islice(dict.fromkeys(self.memory_ids[row] for row in order), k))


async def nearest_of_all(ground: Ground) -> NearestOfAll:
    """The contender, with all passages and cues embedded."""
    cues = [
        (memory.memory_id, cue)
        for memory in ground.scenario.memories
        for cue in (*memory.cues, *memory.broad_cues)
    ]
    texts = [*((fed.memory_id, fed.text) for fed in ground.passages), *cues]
    vectors = await ground.embedder.embed_passages([text for _, text in texts])
    return NearestOfAll(vectors, [memory_id for memory_id, _ in texts], ground.embedder)


def plain_entries() -> list[Entry]:
    """One entry per baseline, in the order of a report."""

    def opening(name: str) -> Callable[[Ground], Awaitable[Plain]]:
        async def opened(ground: Ground) -> Plain:
            return Plain(name, ground)

        return opened

    return [Entry(name=name, open=opening(name)) for name in BASELINES]


async def ours(ground: Ground) -> Whole:
    """secondhop with the scenario's cues; its playbooks are embedded already."""
    await ground.recall.admin.awarm()
    return Whole(ground.recall)


async def without_cues(ground: Ground) -> Whole:
    """secondhop without cues: over the texts only, like the other systems."""
    scenario = ground.scenario
    plain = map(samples.without_cues, scenario.memories)
    recall = await ground.closing.enter_async_context(
        await Recall.aopen(
            ground.folder / "no cues" / scenario.name, embedder=ground.embedder, annotate=False
        )
    )
    await store_scenario(replace(scenario, memories=tuple(plain)), recall)
    await recall.admin.awarm()
    return Whole(recall)


def own_entries() -> Sequence[Entry]:
    """secondhop, then plain search."""
    return [
        Entry(name=OURS, open=ours),
        Entry(name=f"{OURS}, no cues", open=without_cues),
        *plain_entries(),
        Entry(name="dense over texts and cues", open=nearest_of_all),
    ]
