"""How much a memory's hubs get of every result, before and after they are corrected for."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from secondhop.evals.baselines_contest import Asked
from secondhop.evals.baselines_own import Changed
from secondhop.evals.judgements import Rankings
from secondhop.evals.scenario import Scenario
from secondhop.evals.variety import cross_question_overlap
from secondhop.nodes.retrieval.hubs import NEIGHBOURS
from secondhop.nodes.selection.pool_memory import PoolMemory
from secondhop.nodes.services import HubStanding, Services
from secondhop.ranking.arrays import Floats
from secondhop.ranking.hubness import (
    bank_mean_topk,
    hub_corrected,
    hubness,
    k_occurrence,
    top_share,
)
from secondhop.stores.records import Memory, Vectors, passage_id_of

K = 10
"""Memories a question, as in the source of `hubness`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concentration:
    """How unevenly memories are found."""

    skewness: float
    """Of N_k, in how many results a memory stands: 0 = all alike, above 1 = there are hubs."""
    top_share: float
    """What the most found hundredth of the memories takes of all places, 0..1."""
    overlap: float | None
    """Mean part that the answers to two of the scenario's questions share, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubReport:
    """One scenario, without the correction and with it."""

    scenario: str
    memories: int
    background: int
    """Questions that were asked to count; none of them is in the bank that corrects."""
    before: Concentration
    after: Concentration
    hubs: HubStanding
    """Whether answers are corrected, too; where not, their overlap is the same before and after."""

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)


async def hub_report(scenario: Scenario, services: Services, *, bank: Vectors) -> HubReport:
    """Hub concentration of the scenario's store.

    Half of the background questions correct and the other half are asked: a bank that is asked its
    own questions would flatter itself.

    Args:
        bank: float32 [n, dim], of unit length: background questions of all subjects, at least 2.
    """
    passages, owners = await passage_vectors(scenario.memories, services)
    asked, correcting = bank[0::2], bank[1::2]
    cosines = np.asarray(asked @ passages.T, dtype=np.float64)
    means = bank_mean_topk(correcting @ passages.T, k=NEIGHBOURS)
    corrected = hub_corrected(cosines, means, usual=float(means.mean()))
    plain = replace(services, hubs=None, pools=PoolMemory())
    return HubReport(
        scenario=scenario.name,
        memories=len(scenario.memories),
        background=len(asked),
        before=concentration(cosines, owners, overlap=await answers_overlap(scenario, plain)),
        after=concentration(corrected, owners, overlap=await answers_overlap(scenario, services)),
        hubs=services.hub_standing,
    )


async def passage_vectors(
    memories: Sequence[Memory], services: Services
) -> tuple[Vectors, list[int]]:
    """(vectors of all passages [n, dim], the place of each one's memory)."""
    cards = await services.reader.cards([one.memory_id for one in memories])
    owner = {
        passage_id_of(memory, ordinal): place
        for place, memory in enumerate(memories)
        for ordinal in range(cards[memory.memory_id].passage_count)
    }
    vectors = await services.search.vectors(list(owner))
    return np.stack(list(vectors.values())), [owner[passage_id] for passage_id in vectors]


def concentration(scores: Floats, owners: Sequence[int], *, overlap: float | None) -> Concentration:
    """Of scores [n_questions, n_passages]; a memory is as near as its nearest passage."""
    by_memory = np.full((len(scores), max(owners) + 1), -np.inf)
    for column, owner in enumerate(owners):
        np.maximum(by_memory[:, owner], scores[:, column], out=by_memory[:, owner])
    found = k_occurrence(by_memory, k=K)
    return Concentration(skewness=hubness(found), top_share=top_share(found), overlap=overlap)


async def answers_overlap(scenario: Scenario, services: Services) -> float | None:
    """Mean part that two questions' answers share; None for fewer than two answers."""
    system, answers = Changed(services), dict[str, list[str]]()
    for question in scenario.questions:
        to_ask = Asked(text=question.query, asked_at=question.asked_at)
        answers[question.id] = await system.rank(to_ask, k=question.k)
    rankings: Rankings = answers
    overlap = cross_question_overlap(rankings)
    return overlap.overlap if overlap is not None else None
