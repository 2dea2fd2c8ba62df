"""How well the shipped scenarios' replaced memories are found."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.evals.as_shipped import AS_SHIPPED

from secondhop.cli.eval_bench import CACHE
from secondhop.cli.opening import kept_embeddings, opened
from secondhop.evals.scenario import load_scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.shipped import shipped_scenarios

PRECISION, RECALL = 0.8, 0.5
"""Of the pairs found, and of the memories that labels call stale; .91 and .75 were measured. The
rules were made on these scenarios."""


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_most_of_what_is_found_was_replaced_and_most_of_that_is_found(tmp_path: Path) -> None:
    place = replace(AS_SHIPPED, store=tmp_path / "store")
    detected, labelled = set[tuple[str, str]](), set[tuple[str, str]]()
    with kept_embeddings(place, CACHE) as embedder:
        for folder in shipped_scenarios():
            scenario = load_scenario(folder)
            async with opened(place, entity=scenario.name, embedder=embedder) as recall:
                await store_scenario(scenario, recall)
                pairs = await recall.memories.afind_superseded()
            detected |= {(scenario.name, pair.old_id) for pair in pairs}
            labelled |= {(scenario.name, old) for one in scenario.questions for old in one.stale}

    right = len(detected & labelled)
    assert len(labelled) >= 40
    assert right / len(detected) >= PRECISION, detected - labelled
    assert right / len(labelled) >= RECALL, labelled - detected
