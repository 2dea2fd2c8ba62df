"""A briefing looks ahead by the hooks that sessions have taught."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.fakes import note

from secondhop.nodes.config import Config, LearningSettings
from secondhop.recall import Recall
from secondhop.stores.lessons import LearnedContext, LearningChange, Lessons, SessionCue

pytestmark = pytest.mark.usefixtures("library_of_tests")


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as opened:
        await opened.aadd([note("target", "the spare key hangs in the shed", day=1)])
        await opened.aadd(
            [note(f"n{day}", f"thing{day} matter{day} about{day}", day=day) for day in range(2, 20)]
        )
        yield opened


async def teach(recall: Recall, cue: SessionCue, *, at: datetime | None = None) -> None:
    vector = np.zeros(recall.services.embedder.dimension, dtype=np.float32)
    vector[0] = 1
    context = LearnedContext(
        context_id="c",
        embedder_id=recall.services.embedder.model_id,
        vector=vector,
        lessons=Lessons(at=at or datetime.now(UTC), sessions=3, rounds=6, cues=[cue]),
    )
    assert recall.services.learning is not None
    await recall.services.learning.change(lambda _: LearningChange(kept=[context]))


async def foreseen(recall: Recall) -> list[tuple[str, str]]:
    told = await recall.abriefing(limit=10)
    return [(one.id, one.led_by) for one in told.entries if one.category == "foreseen"]


async def test_a_promoted_cue_brings_what_it_leads_to(recall: Recall) -> None:
    assert await foreseen(recall) == []
    await teach(recall, SessionCue(spark="n19", leads_to="target", wins=3))

    assert await foreseen(recall) == [("target", "n19")]
    assert len((await recall.abriefing(limit=10)).entries) == 10


@pytest.mark.parametrize(
    "cue",
    [
        SessionCue(spark="n19", leads_to="target", wins=1),
        SessionCue(spark="n19", leads_to="target", wins=9, retired=True),
        SessionCue(spark="n2", leads_to="target", wins=9),
    ],
    ids=["not promoted", "retired", "its memory is not shown"],
)
async def test_another_cue_brings_nothing(recall: Recall, cue: SessionCue) -> None:
    await teach(recall, cue)
    assert await foreseen(recall) == []


async def test_a_setting_of_nothing_foresees_nothing(tmp_path: Path) -> None:
    nothing = Config(learning=LearningSettings(weight=0))
    async with await Recall.aopen(tmp_path, embedder="hashing", config=nothing) as recall:
        await recall.aadd([note("target", "the spare key", day=1), note("n19", "a shed", day=19)])
        await teach(recall, SessionCue(spark="n19", leads_to="target", wins=3))

        assert await recall.learning.acues()
        assert await foreseen(recall) == []


async def test_a_cue_whose_context_was_not_learned_from_for_long_is_silent(
    recall: Recall,
) -> None:
    cue = SessionCue(spark="n19", leads_to="target", wins=3)
    await teach(recall, cue, at=datetime.now(UTC) - timedelta(days=269))
    assert len(await recall.learning.acues()) == 1

    await teach(recall, cue, at=datetime.now(UTC) - timedelta(days=271))

    assert await recall.learning.acues() == []
    assert await foreseen(recall) == []
    (told,) = (await recall.learning.areport()).contexts[0].cues
    assert told.status == "silent"


def damage(folder: Path) -> None:
    """The one file of lessons."""
    (path,) = folder.rglob("learning.db")
    path.write_bytes(b"no database at all" * 100)


async def test_lessons_that_cannot_be_read_stop_no_briefing(
    recall: Recall, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await teach(recall, SessionCue(spark="n19", leads_to="target", wins=3))
    await recall.learning.aclose()
    damage(tmp_path)

    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as again:
        told = await again.abriefing(limit=10)

    assert len(told.entries) == 10
    assert "uses nothing learned" in caplog.text
