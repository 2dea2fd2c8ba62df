"""The memories of a small life, playbooks for it, and the services of a graph over both."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from tests.fakes import WrittenPlanner, facet, fixed_clock, note, plan

from secondhop.graph.builder import build_recall_graph
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.ingest.pipeline import ingest_memories
from secondhop.models.embedder import Embedder
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.config import Config, RankingSettings, RecallLimits
from secondhop.nodes.planning.playbooks import Playbooks
from secondhop.nodes.planning.port import Plan
from secondhop.nodes.selection.scale import scale_of
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput, RecallState
from secondhop.prompts.library import Intent, parse_playbook
from secondhop.running import run_recall
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import WriterLock
from secondhop.stores.records import Memory, Vector
from secondhop.stores.vectors.memory_index import MemoryIndex

QUESTION = "Help me prepare for my Carefeed interview"

JUDGED_ROUND = ["dispatch", "retrieve", "fuse", "diversify", "critique", "pick"]
"""The nodes of a round with a critic, in order."""

LIFE = (
    note(
        "research-1",
        "Carefeed research before the interview: Carefeed sells communication "
        "software to nursing homes and has two hundred people.",
        title="Research on Carefeed",
    ),
    note(
        "research-2",
        "Carefeed research before the interview: Carefeed sells communication "
        "software to nursing homes and has two hundred people in Ohio.",
        title="More research",
    ),
    note(
        "plan",
        "My plan for the first year in the new role: shorten onboarding from nine weeks "
        "to four, then hire two designers.",
        title="Goals for the first year",
    ),
    note(
        "wins",
        "Achievements with numbers: I cut the turnaround from 9 days to 2 and saved "
        "forty thousand a year.",
        title="What I achieved",
    ),
    note(
        "coaching",
        "Coaching notes after the last mock interview: I talk too fast, give the "
        "situation, the task, the action, the result.",
        title="Coach: mock interview",
    ),
    note(
        "résumé",
        "Résumé: eight years of product work, led teams of twelve, launched two products.",
        title="Résumé",
        day=5,
    ),
    note("garden", "The tomatoes need water twice a week; the basil stands in the shade."),
    note("bread", "Sourdough: feed the starter in the evening, bake at 240 degrees."),
    note("car", "The car's winter tyres are in the cellar; the brakes squeak."),
    note("dentist", "The dentist wants to see me again in March about the crown."),
)

PLAYBOOK = """
domain: tests
intents:
  - name: job-interview
    asks: ["Help me prepare for my interview", "Job interview tomorrow, what should I say?"]
    facets:
      - name: own plan
        why: They ask what you would do.
        hop: 2
        weight: 1.2
        queries: ["my plan for the first year in the new role"]
      - name: achievements
        why: Numbers convince.
        hop: 2
        queries: ["achievements with numbers, I cut and saved"]
      - name: coaching
        why: What went wrong last time.
        hop: 2
        queries: ["coaching notes after the last mock interview"]
  - name: kitchen-garden
    asks: ["What should I plant in the garden?", "My tomatoes look sad"]
    facets:
      - name: garden notes
        why: What grows where.
        hop: 2
        queries: ["tomatoes need water, basil in the shade"]
"""


def small_library() -> tuple[Intent, ...]:
    """Two intents: an interview and a garden."""
    return parse_playbook(PLAYBOOK)


def use_small_library(patch: pytest.MonkeyPatch, cache: Path) -> None:
    """Make `Recall.open` plan with these two intents and cache in that folder."""
    patch.setattr("secondhop.opening.shipped_intents", small_library)

    def place(_app: str, **_: object) -> Path:
        return cache

    patch.setattr("secondhop.opening.user_cache_path", place)


def made_once(folder: Path, work: Callable[[Path], Coroutine[Any, Any, None]]) -> Path:
    """A store that `work` fills, for a fixture of a whole file; its tests copy the store."""
    with pytest.MonkeyPatch.context() as patch:
        use_small_library(patch, folder / "cache")
        asyncio.run(work(folder / "store"))
    return folder / "store"


def interview_plan(*, tokens: int = 0) -> Plan:
    """The plan of a planner for `QUESTION`."""
    return plan(
        facet("own plan", "my plan for the first year in the new role"),
        facet("achievements", "achievements with numbers, I cut and saved"),
        facet("coaching", "coaching notes after the last mock interview"),
        tokens=tokens,
    )


class Answer(NamedTuple):
    """The result of a recall and its trace."""

    result: RecallResult
    trace: RecallTrace


@dataclass(frozen=True, kw_only=True)
class SmallWorld:
    """A real catalog, vectors in memory, and what a graph over them needs."""

    store: EntityStore
    embedder: Embedder
    entity: str = "mara"

    async def add(self, *memories: Memory) -> None:
        """Store more memories."""
        await store_all(self.store, memories, embedder=self.embedder)

    def services(self, **parts: Any) -> Services:
        """The services of a graph without a model; `parts` replace any of them."""
        offline = Services(
            entity=self.entity,
            search=self.store,
            reader=self.store,
            keeping=self.store,
            cues=self.store.cues,
            embedder=self.embedder,
            scale=scale_of(self.embedder.model_id),
            playbooks=Playbooks(small_library(), embedder=self.embedder),
            clock=fixed_clock,
        )
        return replace(offline, **parts)

    def planned_services(self, **parts: Any) -> Services:
        """The same with a plan for `QUESTION`; other questions have none."""
        planner = WrittenPlanner({QUESTION: interview_plan().facets}, planner_id="written")
        return self.services(**{"planner": planner, **parts})


async def store_all(store: EntityStore, memories: Iterable[Memory], *, embedder: Embedder) -> None:
    """Ingest memories that are already built."""
    await ingest_memories(memories, writer=store, embedder=embedder)


@dataclass(frozen=True, kw_only=True)
class OriginalWorld:
    """A world to copy, which is faster than making one."""

    catalog: Path
    vectors: Mapping[str, Vector]

    @classmethod
    async def made(cls, folder: Path) -> "OriginalWorld":
        """Make a world of `LIFE` and close it."""
        world = await small_world(folder)
        vectors = await world.store.vectors(sorted(await world.store.passage_vectors.index.ids()))
        await world.store.aclose()
        return cls(catalog=folder / "catalog.db", vectors=vectors)

    async def copy(self, folder: Path) -> SmallWorld:
        """The same as `small_world(folder)`."""
        folder.mkdir()  # noqa: ASYNC240 - nothing else is waiting
        shutil.copy(self.catalog, folder)
        index = MemoryIndex()
        await index.upsert(list(self.vectors), np.stack(list(self.vectors.values())))
        return world_over(folder, index)


async def small_world(folder: Path, memories: Iterable[Memory] = LIFE) -> SmallWorld:
    """A world of `memories` in `folder`; the caller closes its store."""
    world = world_over(folder, MemoryIndex())
    await world.add(*memories)
    return world


def world_over(folder: Path, index: MemoryIndex) -> SmallWorld:
    """The world of that folder, with these vectors."""
    embedder = HashingEmbedder()
    identity = Identity(entity="mara", embedder_id=embedder.model_id, dimension=embedder.dimension)
    store = EntityStore(
        Catalog(folder / "catalog.db"),
        index,
        identity=identity,
        lock=WriterLock(folder / "writer.lock"),
        cue_index=MemoryIndex(),
    )
    return SmallWorld(store=store, embedder=embedder)


def recall_settings(*, ranking: dict[str, Any] | None = None, **limits: Any) -> Config:
    """Settings with some limits and ranking numbers changed."""
    return Config(limits=RecallLimits(**limits), ranking=RankingSettings(**ranking or {}))


async def ask(services: Services, question: str = QUESTION, **asked: Any) -> Answer:
    """Run a graph to its end; `asked` are other keys of `RecallInput`."""
    given = cast(RecallInput, {"question": question, **asked})
    async for event in run_recall(build_recall_graph(services), given, services=services):
        if event.result is not None and event.trace is not None:
            return Answer(event.result, event.trace)
    raise AssertionError("the recall ended without an answer")


async def states(services: Services, question: str = QUESTION, **asked: Any) -> list[RecallState]:
    """The states after all supersteps, in order."""
    graph = build_recall_graph(services)
    given = cast(RecallInput, {"question": question, **asked})
    stream = graph.astream(given, stream_mode="values")
    return [cast(RecallState, values) async for values in stream]
