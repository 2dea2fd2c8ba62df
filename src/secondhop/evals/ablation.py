"""What each part of the engine brings: the same questions with a part changed or taken away.

Ways of selecting are compared on one pool: the recall runs once, and what it had found and judged
when it chose its answer is given to every selection. Parts of the engine are compared by whole
recalls.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np

from secondhop.errors import StoreError
from secondhop.evals.baselines_contest import Asked
from secondhop.evals.setting_changes import changed_settings
from secondhop.graph.builder import build_recall_graph
from secondhop.nodes.critics.coverage import CoverageCritic
from secondhop.nodes.critics.port import Critic
from secondhop.nodes.planning.port import Plan, PlanRequest
from secondhop.nodes.planning.question_kind import question_kind
from secondhop.nodes.selection.best_answer import best_answer
from secondhop.nodes.selection.pool import Pool, load_pool
from secondhop.nodes.selection.pool_memory import PoolMemory
from secondhop.nodes.services import Services
from secondhop.nodes.settings import RecallSettings
from secondhop.nodes.state import DIRECT, RecallState
from secondhop.ranking.calibration import LogisticCalibration
from secondhop.ranking.evidence import Evidence
from secondhop.stores.protocols import MemoryReader, MemorySearch
from secondhop.stores.records import PassageHit, Vector, Vectors

Part: TypeAlias = Callable[[Services], Services]
"""The services with one part changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a recall knew when it chose its answer."""

    state: RecallState
    pool: Pool
    whole: Pool
    """The same candidates with all their passages as evidence, not the found ones alone."""

    def picks(self, changes: Sequence[str], *, whole: bool = False) -> list[str]:
        """The answer with other ranking settings, as `replay --set` takes them."""
        settings = changed_settings({}, changes).ranking
        answer = best_answer(self.whole if whole else self.pool, self.state, settings=settings)
        return [pick["memory_id"] for pick in answer.picks]

    def question_alone(self, changes: Sequence[str]) -> list[str]:
        """As `picks`, with what the question itself found and no facet of a plan."""
        own = [column for column, facet in enumerate(self.pool.facet_ids) if facet == DIRECT]
        pool = replace(
            self.pool, facet_ids=[DIRECT], relevance=self.pool.relevance[:, own], orders={}
        )
        return replace(self, pool=pool).picks(changes)

    def passages_compete(self) -> list[str]:
        """The answer when k passages are chosen by relevance alone, whatever their memories.

        A memory of which two passages are chosen takes two slots: there is no same-parent rule.
        """
        best: dict[str, tuple[float, str]] = {}
        for memory_id in self.pool.ids:
            for score in self.state["candidates"][memory_id]["scores"].values():
                for passage_id, relevance in zip(
                    score["passage_ids"], score["passage_scores"], strict=True
                ):
                    known = best.get(passage_id, (0.0, memory_id))
                    best[passage_id] = max(known, (relevance, memory_id))
        order = sorted(best, key=lambda passage_id: (-best[passage_id][0], passage_id))
        return list(dict.fromkeys(best[one][1] for one in order[: self.state["k"]]))


async def chosen_by(services: Services, asked: Asked, *, k: int) -> Chosen:
    """Run a recall, and keep what its last selection was made from."""
    graph = build_recall_graph(services)
    question = {"question": asked.text, "k": k, "asked_at": asked.asked_at.isoformat()}
    state: RecallState | None = None
    async for values in graph.astream(cast(Any, question), stream_mode="values"):
        state = cast(RecallState, values)
    if state is None:
        raise StoreError("the recall ended without a state; please report this")
    facet_ids = sorted(state["facets"])
    pool = await load_pool(state["candidates"], facet_ids, services=services, k=k)
    evidence = await whole_evidence(pool.ids, search=services.search, reader=services.reader)
    whole = replace(pool, evidence=evidence, coverages={}, orders={})
    return Chosen(state=state, pool=pool, whole=whole)


async def whole_evidence(
    memory_ids: Sequence[str], *, search: MemorySearch, reader: MemoryReader
) -> Evidence:
    """All passages of memories, as a measure over whole conversations wants them."""
    owned: list[list[str]] = []
    for memory_id in memory_ids:
        memory, cards = await reader.memory(memory_id), await reader.cards([memory_id])
        count = cards[memory_id].passage_count if memory and memory_id in cards else 0
        version = memory.content_hash[:12] if memory else ""
        owned.append([f"{memory_id}:{version}:{ordinal}" for ordinal in range(count)])
    ids = [passage_id for own in owned for passage_id in own]
    vectors, passages = await search.vectors(ids), await reader.passages(ids)
    rows = {passage_id: row for row, passage_id in enumerate(ids)}
    return Evidence(
        vectors=np.stack([vectors[passage_id] for passage_id in ids]),
        passages=[[rows[passage_id] for passage_id in own] for own in owned],
        texts=[passages[passage_id].text for passage_id in ids],
        lengths=[passages[passage_id].tokens for passage_id in ids],
    )


class NoPlan:
    """Plans nothing but the question itself."""

    @property
    def planner_id(self) -> str:
        """Says so."""
        return "none"

    async def decompose(self, request: PlanRequest) -> Plan:
        """The kind of the question alone."""
        return Plan(facets=(), kind=question_kind(request.question))

    async def expand(self, request: PlanRequest) -> Plan:
        """No facet."""
        return Plan(facets=())

    async def warm(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Nothing to do."""


@dataclass(frozen=True, slots=True, eq=False)
class OneLeg:
    """A store that is searched in one way alone."""

    inner: MemorySearch
    leg: str
    """dense or lexical."""

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """See `MemorySearch`.

        Raises:
            StoreError: the leg is off. (Not an empty answer: what words find would get its cosine.)
        """
        if self.leg != "dense":
            raise StoreError("the dense leg is off; this is an ablation")
        return await self.inner.dense(queries, k=k)

    async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
        """See `MemorySearch`."""
        return await self.inner.lexical(query, k=k) if self.leg == "lexical" else []

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `MemorySearch`: repetition is measured as ever."""
        return await self.inner.vectors(passage_ids)


RAW = LogisticCalibration(slope=4.0, intercept=-2.0)
"""Nearly the cosine itself: 0.5 stays 0.5, and 0.2 to 0.8 move by less than 0.04."""

NEVER = 2.0
"""A cosine that no pair reaches."""


def with_settings(*changes: str) -> Part:
    """Other settings, as `replay --set` takes them."""
    settings: RecallSettings = changed_settings({}, changes)
    return lambda services: replace(services, settings=settings)


def one_hop(services: Services) -> Critic:
    """The offline critic without leads: no name in the evidence is followed."""
    return CoverageCritic(min_score=services.settings.ranking.min_score, leads=0)


PARTS: Mapping[str, Part] = {
    "no plan": lambda s: replace(s, planner=NoPlan(), offline_planner=NoPlan()),
    "no calibration": lambda s: replace(s, scale=replace(s.scale, calibration=RAW)),
    "no hub correction": lambda s: replace(s, hubs=None),
    "no supersession rule": lambda s: replace(s, scale=replace(s.scale, successor_at=NEVER)),
    "no third hop": lambda s: replace(s, critic=one_hop(s), offline_critic=one_hop(s)),
    "no dense leg": lambda s: replace(s, search=OneLeg(s.search, "lexical")),
    "no lexical leg": lambda s: replace(s, search=OneLeg(s.search, "dense")),
    "no punishment of repetition": with_settings("ranking.redundancy=none"),
    "no closing of facets (1)": with_settings("ranking.facet_closing=1"),
    "no answer first": with_settings("ranking.answer_first=false"),
    "no recency": with_settings("ranking.recency=never"),
}
"""The engine with one part off, by name."""


def without(part: Part, services: Services) -> Services:
    """The services with a part off; nothing that was looked up with it on is reused."""
    return replace(part(services), pools=PoolMemory())
