"""The systems of a contest that need nothing but secondhop: itself, and plain search."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from secondhop.errors import StoreError
from secondhop.evals.baselines import BASELINES, plain_ranking
from secondhop.evals.baselines_contest import Asked, Entry, Ground
from secondhop.evals.baselines_planned import PLANNED, FacetQueries, planned_ranking
from secondhop.evals.baselines_plans import queries_of
from secondhop.graph.builder import build_recall_graph
from secondhop.nodes.budget import Remaining
from secondhop.nodes.planning.port import Planner, PlanRequest
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.recall import Recall
from secondhop.running import run_recall

OURS = "secondhop"

PlannerOf: TypeAlias = Callable[[Ground], Planner]

UNBOUNDED = Remaining(rounds=1, llm_calls=8, llm_tokens=100_000, seconds=60.0)


def playbooks(ground: Ground) -> Planner:
    """The planner that a recall without a language model has."""
    return ground.recall.services.offline_planner


@dataclass(frozen=True, slots=True)
class Whole:
    """secondhop as it is."""

    recall: Recall

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        return (await self.recall.arecall(asked.text, k=k, at=asked.asked_at)).ids()


@dataclass(frozen=True, slots=True)
class Changed:
    """secondhop with other parts: a planner that reads a file, a leg that is off."""

    services: Services

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        question = RecallInput(question=asked.text, k=k, asked_at=asked.asked_at.isoformat())
        graph = build_recall_graph(self.services)
        async for event in run_recall(graph, question, services=self.services):
            if event.result is not None:
                return event.result.ids()
        raise StoreError("the recall ended without an answer; please report this")


@dataclass(frozen=True, slots=True)
class Plain:
    """A baseline of `secondhop.evals.baselines`."""

    name: str
    ground: Ground

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        ground = self.ground
        return await plain_ranking(
            self.name, asked.text, k=k, search=ground.recall.store, embedder=ground.embedder
        )


@dataclass(frozen=True, slots=True)
class Planned:
    """A usual way to use the queries of a plan; planning is part of the work."""

    name: str
    ground: Ground
    planner: Planner

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        facets = await planned_queries(self.planner, asked, self.ground.recall)
        return await planned_ranking(
            self.name, facets, k=k, search=self.ground.recall.store, embedder=self.ground.embedder
        )


async def planned_queries(planner: Planner, asked: Asked, recall: Recall) -> FacetQueries:
    """What a recall with this planner would ask, facet by facet, the question first."""
    request = PlanRequest(
        question=asked.text,
        asked_at=asked.asked_at,
        topics=await recall.store.topics(),
        remaining=UNBOUNDED,
    )
    return await queries_of(planner, request)


def plain_entries() -> list[Entry]:
    """One a baseline, in the order of a report."""

    def opening(name: str) -> Callable[[Ground], Awaitable[Plain]]:
        async def opened(ground: Ground) -> Plain:
            return Plain(name, ground)

        return opened

    return [Entry(name=name, open=opening(name)) for name in BASELINES]


def planned_entries(planner: PlannerOf, *, source: str) -> list[Entry]:
    """The usual ways to use a plan's queries; `source` says whose plan it is."""

    def opening(name: str) -> Callable[[Ground], Awaitable[Planned]]:
        async def opened(ground: Ground) -> Planned:
            return Planned(name, ground, planner(ground))

        return opened

    return [Entry(name=f"{source}, {name}", open=opening(name)) for name in PLANNED]


async def ours(ground: Ground) -> Whole:
    """secondhop, its playbooks embedded."""
    await ground.recall.awarm()
    return Whole(ground.recall)


def ours_planned_by(planner: PlannerOf, *, source: str) -> Entry:
    """secondhop with another planner."""

    async def opened(ground: Ground) -> Changed:
        await ground.recall.awarm()
        return Changed(replace(ground.recall.services, planner=planner(ground)))

    return Entry(name=f"{OURS}, {source}", open=opened)


def own_entries() -> Sequence[Entry]:
    """secondhop, then plain search."""
    return [Entry(name=OURS, open=ours), *plain_entries()]
