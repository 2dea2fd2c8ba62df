"""A rendering of the prompts uses the recall's planning settings."""

from pathlib import Path

from tests.fakes import NOW

from secondhop import Recall
from secondhop.evals.rendering import rendered_prompts
from secondhop.nodes.config import Config, PlanningSettings
from secondhop.prompts.templates import load_prompts

QUESTION = "Help me prepare for my Carefeed interview"
SETTINGS = Config(planning=PlanningSettings(rewordings=7))


async def test_a_rendering_shows_what_would_be_asked(tmp_path: Path) -> None:
    async with await Recall.aopen(
        tmp_path / "store", entity="e", embedder="hashing", config=SETTINGS
    ) as recall:
        rendered = await rendered_prompts(QUESTION, recall, load_prompts(), at=NOW)

    assert "7" in rendered["decompose"].user + rendered["decompose"].system
