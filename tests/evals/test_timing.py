"""The times of an evaluation are those of recalls, not of what is loaded once a process."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.evals.small_scenario import small_scenario

from secondhop.evals.scenarios import Asking, run_scenario, store_scenario
from secondhop.models.embedder import Vectors
from secondhop.models.hashing import HashingEmbedder
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")
LOADING_S = 1.0


class LoadedLate(HashingEmbedder):
    """Takes a while for its first question, as a model does that has to be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.is_loaded = False

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Load first, then embed."""
        if not self.is_loaded:
            await asyncio.sleep(LOADING_S)
            self.is_loaded = True
        return await super().embed_queries(texts)


async def test_loading_the_model_is_not_counted_as_the_first_question(tmp_path: Path) -> None:
    scenario = small_scenario()
    async with await Recall.aopen(tmp_path / "store", embedder=LoadedLate()) as recall:
        await store_scenario(scenario, recall)
        report = await run_scenario(scenario, recall, asking=Asking())

    assert max(answer.ms for answer in report.answers.values()) < 1000 * LOADING_S
