"""Where `secondhop calibrate` gets its pairs: stores to throw away, kept embeddings."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from secondhop.assembly import UNKNOWN_MODEL, scale_of
from secondhop.cli.eval_bench import CACHE
from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.errors import UsageError
from secondhop.evals.calibrate import SHARE, CalibrationReport, Method, calibrated
from secondhop.evals.calibrate_pairs import (
    RELEVANT_FROM,
    LabelledQuery,
    Pair,
    pairs_of,
    scenario_queries,
    topic_queries,
)
from secondhop.evals.calibrate_playbooks import LabelFreeScale, label_free_scale
from secondhop.evals.judgements import Judgement
from secondhop.evals.scenario import Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.topic_run import expect_judged_memories, of_topics
from secondhop.evals.topics import Topic
from secondhop.evals.usual_nearness import usual_nearness
from secondhop.models.embedder import Embedder
from secondhop.nodes.planning.playbook import PlaybookPlanner
from secondhop.prompts.library import shipped_intents
from secondhop.ranking.calibration import Calibration, LogisticCalibration
from secondhop.recall import Recall

DEFAULT_MODEL = "bge-small-en-v1.5"
"""Whose calibration is laid over other models' cosines."""

TOPICS = "topics"
"""The group of pairs that come of TREC's files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledTopics:
    """Questions and judgements in TREC's files, of the memory that the options name."""

    topics: Sequence[Topic]
    judgements: Sequence[Judgement]
    memories: Sequence[Path] = ()
    """Stored first, in a throwaway store unless one was named."""
    k: int = 10


class Found(NamedTuple):
    """What one store was asked, and how near it is to the playbooks' questions."""

    name: str
    pairs: Sequence[Pair]
    nearness: float | None


async def fit_scale(
    scenarios: Sequence[Scenario],
    topics: LabelledTopics | None,
    common: Common,
    *,
    method: Method,
    relevant_from: int = RELEVANT_FROM,
    share: float = SHARE,
) -> CalibrationReport:
    """Store, ask and fit; and measure how near memories usually are to the playbooks' questions.

    Raises:
        UsageError: nothing can be left out, the labels are all alike, or they do not fit.
    """
    found: list[Found] = []
    with ExitStack() as stack:
        embedder = stack.enter_context(kept_embeddings(common, CACHE))
        progress = stack.enter_context(bars())
        if scenarios:
            place = stack.enter_context(throwaway(common))
            for scenario in scenarios:
                async with bare(place, embedder, entity=scenario.name) as recall:
                    await store_scenario(scenario, recall, progress=progress)
                    queries = list(scenario_queries(scenario))
                    pairs = await found_by(queries, recall, relevant_from=relevant_from)
                    found.append(Found(scenario.name, pairs, await nearness_in(recall)))
        if topics is not None:
            place = stack.enter_context(throwaway(common)) if topics.memories else common
            async with bare(place, embedder) as recall:
                if topics.memories:
                    await recall.aingest(*topics.memories, progress=progress)
                queries = await judged_queries(topics, recall)
                pairs = await found_by(queries, recall, relevant_from=relevant_from)
                found.append(Found(TOPICS, pairs, await nearness_in(recall)))
        return fitted_to(found, embedder_id=embedder.model_id, method=method, share=share)


def fitted_to(
    found: Sequence[Found], *, embedder_id: str, method: Method, share: float
) -> CalibrationReport:
    """The scale of what the stores gave.

    Raises:
        UsageError: as `fit_scale`.
    """
    pairs = [pair for one in found for pair in one.pairs]
    if not pairs:
        raise UsageError("no question brought a memory; check the scenarios")
    report = calibrated(
        pairs,
        embedder_id=embedder_id,
        method=method,
        known=shipped_for(embedder_id, asked=[pair.group for pair in pairs]),
        share=share,
    )
    measured = {one.name: one.nearness for one in found if one.nearness is not None}
    return replace(report, nearness=measured)


async def scale_without_labels(common: Common) -> LabelFreeScale:
    """From the playbooks alone; how near memories usually are to them stays as it ships.

    Raises:
        ModelError: the model cannot be reached, or to it everything is equally near.
    """
    default = scale_of(DEFAULT_MODEL).calibration
    if not isinstance(default, LogisticCalibration):
        raise AssertionError("unreachable: what ships is logistic")
    with kept_embeddings(common, CACHE) as embedder:
        made = await label_free_scale(shipped_intents(), embedder, default=default)
        shipped = scale_of(embedder.model_id).usual_nearness
        return replace(made, shipped_nearness=shipped)


def bare(
    place: Common, embedder: Embedder, *, entity: str | None = None
) -> AbstractAsyncContextManager[Recall]:
    """A recall whose scale is the one that ships: what is measured here makes scales."""
    scale = scale_of(embedder.model_id)
    return opened(place, entity=entity, embedder=embedder, counting=True, scale=scale)


def shipped_for(model_id: str, *, asked: Collection[str]) -> Mapping[str, Calibration]:
    """What would be used without a fit, under a name that says whether it knows these labels."""
    shipped = scale_of(model_id)
    name = "guessed for unknown models" if shipped is UNKNOWN_MODEL else "as shipped"
    if not set(shipped.fitted_on).isdisjoint(asked):
        name += ", fitted on these"
    return {name: shipped.calibration}


async def judged_queries(topics: LabelledTopics, recall: Recall) -> list[LabelledQuery]:
    """Every judged topic.

    Raises:
        UsageError: no topic is judged, or no judged memory is stored.
    """
    judgements = of_topics(topics.judgements, topics.topics)
    await expect_judged_memories(judgements, recall)
    return list(topic_queries(topics.topics, judgements, group=TOPICS, k=topics.k))


async def found_by(
    queries: Sequence[LabelledQuery], recall: Recall, *, relevant_from: int
) -> list[Pair]:
    """The pairs of one memory."""
    return await pairs_of(
        queries, search=recall.store, embedder=recall.embedder, relevant_from=relevant_from
    )


async def nearness_in(recall: Recall) -> float | None:
    """How near the memories of one store usually are to the playbooks' questions."""
    await recall.awarm()
    planner = recall.services.offline_planner
    bank = planner.questions if isinstance(planner, PlaybookPlanner) else None
    return await usual_nearness(recall.store, bank)
