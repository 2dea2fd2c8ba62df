"""Marks of memories: given, changed, told, exported."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from secondhop.errors import UsageError
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as opened:
        yield opened


async def mark_of(recall: Recall, memory_id: str) -> str:
    versions = (await recall.memories.ahistory(memory_id)).versions
    return {one.memory_id: one.mark for one in versions}[memory_id]


async def test_a_mark_is_given_changed_taken_away_and_told_in_the_history(recall: Recall) -> None:
    kept = await recall.memories.aremember("Book the dentist", mark="open")
    assert await mark_of(recall, kept.memory_id) == "open"
    assert (await recall.memories.aupdate(kept.memory_id, mark="core")).done == "changed"
    assert (await recall.memories.aupdate(kept.memory_id, mark="core")).done == "unchanged"
    await recall.memories.aupdate(kept.memory_id, mark="")

    assert await mark_of(recall, kept.memory_id) == ""
    events = (await recall.memories.ahistory(kept.memory_id)).events
    assert [one.detail for one in events if one.act == "changed"] == [
        "marked core",
        "no longer marked",
    ]


async def test_another_mark_is_refused_and_nothing_is_stored(recall: Recall) -> None:
    wrong: Any = "urgent"
    with pytest.raises(UsageError, match='"core", "open"'):
        await recall.memories.aremember("Book the dentist", mark=wrong)
    assert (await recall.memories.acounts()).memories == 0
