"""What a library is worth to questions that it was not written for: leave one scenario out.

Whoever writes playbooks has questions in mind. Here every intent that is nearest to a question of a
scenario is taken out, and the scenario is asked again: what is left of its figures is what a
question gets that nobody thought of. (A lower bound: some of those intents everybody needs.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from secondhop.evals.baselines_contest import Asked
from secondhop.evals.baselines_own import Changed
from secondhop.evals.measures import Measures, mean_of, measure
from secondhop.evals.scenario import Scenario
from secondhop.models.embedder import Embedder
from secondhop.nodes.planning.map_choice import MapChoice
from secondhop.nodes.planning.playbook import NAME_SHARE, PlaybookPlanner, intent_nearness
from secondhop.nodes.retrieval.hubs import HubCorrection
from secondhop.nodes.selection.pool_memory import PoolMemory
from secondhop.nodes.services import Services
from secondhop.prompts.library import Intent

JUDGED_BY = ("facet_recall", "alpha_ndcg")
"""The measures that are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """One scenario, with the whole library and without the intents nearest to its questions."""

    scenario: str
    intents: Sequence[str]
    """Names of those that were taken out."""
    whole: Measures
    without: Measures

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "intents": list(self.intents),
            "whole": {name: self.whole[name] for name in JUDGED_BY},
            "without": {name: self.without[name] for name in JUDGED_BY},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentFinder:
    """Intents by how near a question is to them, as the offline planner reckons it."""

    intents: Sequence[Intent]
    embedder: Embedder
    """Of the library's own texts; one with a cache that lasts."""
    asking: Embedder
    """Of the questions, which belong into no cache of the library."""

    async def nearest(
        self, questions: Sequence[str], *, n: int
    ) -> list[list[tuple[Intent, float]]]:
        """For each question the `n` nearest intents with their nearness, the nearest first."""
        asks = await self.embedder.embed_passages([a for one in self.intents for a in one.asks])
        names = [intent.name.replace("-", " ") for intent in self.intents]
        named = await self.embedder.embed_passages(names)
        asked = await self.asking.embed_passages(questions)
        count = len(self.intents)
        owners = np.repeat(np.arange(count), [len(intent.asks) for intent in self.intents])
        found: list[list[tuple[Intent, float]]] = []
        for vector in asked:
            nearness = intent_nearness(asks @ vector, owners, count=count)
            nearness += NAME_SHARE * (named @ vector)
            order = np.argsort(-nearness, kind="stable")[:n]
            found.append([(self.intents[i], float(nearness[i])) for i in order])
        return found


async def left_out(
    scenario: Scenario, services: Services, *, intents: Sequence[Intent], library: Embedder
) -> LeftOut:
    """Ask the scenario with the whole library, and without what is nearest to its questions.

    Args:
        services: of the scenario's store, offline.
        library: embeds the library's own texts; one with a cache that lasts.
    """
    finder = IntentFinder(intents=intents, embedder=library, asking=services.embedder)
    near = await finder.nearest([one.query for one in scenario.questions], n=1)
    gone = list(dict.fromkeys(found[0][0].name for found in near if found))
    rest = [intent for intent in intents if intent.name not in gone]
    return LeftOut(
        scenario=scenario.name,
        intents=gone,
        whole=await asked(scenario, with_library(services, intents, library=library)),
        without=await asked(scenario, with_library(services, rest, library=library)),
    )


def with_library(services: Services, intents: Sequence[Intent], *, library: Embedder) -> Services:
    """The same recall, planned by other playbooks; the bank of background questions is theirs."""
    planner = PlaybookPlanner(
        intents,
        embedder=services.embedder,
        library_embedder=library,
        facets=services.settings.ranking.facets,
        map_choice=MapChoice.of(services.settings.ranking),
    )
    usual = services.scale.usual_nearness
    corrects = services.hubs is not None and usual is not None
    return replace(
        services,
        planner=planner,
        offline_planner=planner,
        hubs=HubCorrection(planner, usual=usual) if corrects and usual is not None else None,
        pools=PoolMemory(),
    )


async def asked(scenario: Scenario, services: Services) -> Measures:
    """The mean measures of the scenario's questions."""
    await services.offline_planner.warm()
    system = Changed(services)
    rows: list[Measures] = []
    for question in scenario.questions:
        to_ask = Asked(text=question.query, asked_at=question.asked_at)
        rows.append(measure(question, await system.rank(to_ask, k=question.k)))
    return mean_of(rows)


def means(rows: Sequence[LeftOut]) -> Mapping[str, Measures]:
    """{"whole" or "without": the means over the scenarios}."""
    return {
        "whole": mean_of(row.whole for row in rows),
        "without": mean_of(row.without for row in rows),
    }
