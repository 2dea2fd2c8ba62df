"""Expiries and marks: set, removed, reported. A memory that is named twice is forgotten once."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import document, over
from tests.fakes import note

from secondhop.errors import UsageError
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

PAST, AHEAD = datetime(2020, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


@pytest.fixture
async def recall(empty: Recall) -> Recall:
    await empty.aadd([note("key", "The key is under the mat")])
    return empty


async def expiry(recall: Recall, memory_id: str) -> datetime | None:
    (version,) = (await recall.memories.ahistory(memory_id)).versions
    return version.valid_until


@pytest.mark.parametrize("moment", [PAST, AHEAD])
async def test_an_empty_expiry_takes_it_away_and_the_history_says_so(
    recall: Recall, moment: datetime
) -> None:
    await recall.memories.aupdate("key", valid_until=moment)
    assert await expiry(recall, "key") == moment

    told = await recall.memories.aupdate("key", valid_until="")
    again = await recall.memories.aupdate("key", valid_until="")

    assert (told.done, again.done) == ("changed", "unchanged")
    assert await expiry(recall, "key") is None
    assert (await recall.memories.ahistory("key")).events[-1].detail == "no longer expires"
    assert (await recall.arecall("Where is the key?")).ids() == ["key"]


def test_the_command_line_says_none(tmp_path: Path, no_variables: None) -> None:
    run = over(tmp_path / "store")
    run("remember", "The key is under the mat", "--id", "key", "--valid-until", "9000-01-01")
    document(run("update", "key", "--valid-until", "none", "--json"))

    (version,) = document(run("history", "key", "--json"))["versions"]
    assert version["valid_until"] is None


async def test_a_memory_that_is_named_twice_is_forgotten_and_counted_once(recall: Recall) -> None:
    would = await recall.memories.aforget("key", "key", dry_run=True)
    told = await recall.memories.aforget("key", "key")

    for done in (would, told):
        assert (done.memory_ids, done.passages) == (["key"], 1)


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
    assert (await recall.memories.acounts()).memories == 1
