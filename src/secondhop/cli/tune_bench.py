"""Where settings are tuned: stores to throw away, kept embeddings, opened once for all trials."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

from secondhop.cli.eval_bench import CACHE
from secondhop.cli.opening import OFFLINE, kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.evals.scenario import Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.tuning import Tuning, expect_parts, tuned
from secondhop.evals.tuning_part import (
    RememberedSearch,
    TuningPart,
    asked_with,
    parts_by_question,
)

STAGE = "measured"
"""What the progress bar counts."""


async def tune_scenarios(
    scenarios: Sequence[Scenario], common: Common, *, trials: int, seed: int
) -> Tuning:
    """Store the scenarios, and search. No language model is asked.

    Raises:
        UsageError: nothing can be left out.
        TuneExtraMissingError: Optuna is not installed.
    """
    alone = len(scenarios) == 1
    if alone:
        expect_parts(len(scenarios[0].questions))
    async with AsyncExitStack() as stack:
        place = replace(stack.enter_context(throwaway(common)), llm=OFFLINE)
        embedder = stack.enter_context(kept_embeddings(common, CACHE))
        progress = stack.enter_context(bars())
        parts: dict[str, TuningPart] = {}
        for scenario in scenarios:
            recall = await stack.enter_async_context(
                opened(place, entity=scenario.name, embedder=embedder, counting=True)
            )
            await store_scenario(scenario, recall, progress=progress)
            await recall.awarm()
            search = RememberedSearch(recall.services.search)
            services = replace(recall.services, search=search)
            parts[scenario.name] = TuningPart(services=services, questions=scenario.questions)
        if alone:
            parts = parts_by_question(scenarios[0].name, parts[scenarios[0].name])
        return await tuned(
            parts,
            asked_with,
            trials=trials,
            seed=seed,
            by_question=alone,
            progress=(lambda done, total: progress(STAGE, done, total)) if progress else None,
        )
