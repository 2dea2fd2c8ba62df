"""The same words again; a memory in its own place; one that has expired before it is written."""

import asyncio
import copy
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.command_line import document, over
from tests.fakes import note

from secondhop.errors import UsageError
from secondhop.memories.service import MemoryService
from secondhop.recall import Recall

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
KEY = "The spare key is under the blue pot"


@pytest.fixture
async def memories(tmp_path: Path) -> AsyncIterator[MemoryService]:
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        yield at_hour(recall.memories, 9)


def at_hour(memories: MemoryService, hour: int, *, day: int = 1) -> MemoryService:
    """The same memories at another time."""
    later = copy.copy(memories)
    later.writing = replace(memories.writing, clock=lambda: NOW.replace(hour=hour, day=day))
    return later


async def test_the_same_words_of_a_day_are_stored_once(memories: MemoryService) -> None:
    first = await memories.aremember(KEY, title="Spare key")
    again = await at_hour(memories, 22).aremember(KEY, title="Spare key")

    assert (first.done, again.done, again.memory_id) == ("remembered", "unchanged", first.memory_id)
    assert (await memories.writing.store.counts()).memories == 1


async def test_the_same_words_without_the_expiry_are_a_memory_of_their_own(
    memories: MemoryService,
) -> None:
    soon = await memories.aremember(KEY, title="Spare key", valid_until=NOW + timedelta(hours=1))
    for_good = await memories.aremember(KEY, title="Spare key")
    marked = await memories.aremember(KEY, title="Spare key", mark="core")

    assert len({soon.memory_id, for_good.memory_id, marked.memory_id}) == 3


async def test_two_who_say_it_at_once_store_it_once(memories: MemoryService) -> None:
    kept = await asyncio.gather(*(memories.aremember(KEY) for _ in range(3)))

    assert sorted(one.done for one in kept) == ["remembered", "unchanged", "unchanged"]
    assert len({one.memory_id for one in kept}) == 1


async def test_what_happens_again_or_under_another_name_is_another_memory(
    memories: MemoryService,
) -> None:
    first = await memories.aremember(KEY, title="Spare key")
    others = [
        await at_hour(memories, 9, day=2).aremember(KEY, title="Spare key"),
        await memories.aremember(KEY, title="Key"),
        await memories.aremember(KEY.lower(), title="Spare key"),
        await memories.aremember(KEY, title="Spare key", memory_id="mine"),
        await memories.aremember(KEY, title="Spare key", mark="core"),
        await memories.aremember(KEY, title="Spare key", at=NOW - timedelta(hours=1)),
        await memories.aremember(KEY, title="Spare key", supersedes=[first.memory_id]),
    ]

    assert {one.done for one in others} == {"remembered"}
    assert len({one.memory_id for one in (first, *others)}) == 8


async def test_with_a_moment_that_is_given_the_moment_counts(memories: MemoryService) -> None:
    first = await memories.aremember("Took the pill", at=NOW - timedelta(hours=1))
    later = await memories.aremember("Took the pill", at=NOW)
    again = await memories.aremember("Took the pill", at=NOW)

    assert later.memory_id != first.memory_id
    assert (again.done, again.memory_id) == ("unchanged", later.memory_id)


async def test_what_does_not_hold_any_more_is_said_anew(memories: MemoryService) -> None:
    first = await memories.aremember(KEY)
    await memories.adeprecate(first.memory_id, "moved")

    assert (await memories.aremember(KEY)).done == "remembered"


async def test_what_comes_from_a_file_is_something_else(memories: MemoryService) -> None:
    async def stored() -> int:
        return (await memories.writing.store.counts()).memories

    await memories.aremember(KEY, title="Spare key")
    conversation = replace(note("told", KEY, title="Spare key"), source="conversation")
    view = await memories.writing.store.look(lambda view: view.namesakes(conversation))

    assert view == []
    assert await stored() == 1


async def test_nothing_takes_its_own_place(memories: MemoryService) -> None:
    kept = await memories.aremember(KEY)

    for dry_run in (True, False):
        with pytest.raises(UsageError, match="cannot take its own place"):
            await memories.asupersede(kept.memory_id, kept.memory_id, dry_run=dry_run)

    (version,) = (await memories.ahistory(kept.memory_id)).versions
    assert version.end == ""


async def test_who_remembers_what_has_expired_is_told(memories: MemoryService) -> None:
    past = await memories.aremember(KEY, valid_until=datetime(2020, 1, 1, tzinfo=UTC))
    future = await memories.aremember("Another", valid_until=NOW + timedelta(days=1))

    assert past.done == "remembered"
    assert "does not come back: it expired on 2020-01-01 00:00 UTC" in past.notice
    assert future.notice == ""


def test_the_command_tells_it(tmp_path: Path, no_variables: None) -> None:
    command = over(tmp_path / "store")
    told = command("remember", KEY, "--id", "key", "--valid-until", "2020-01-01")
    listed = document(command("remember", "More", "--valid-until", "2020-01-01", "--json"))
    twice = [document(command("remember", KEY, "--title", "Key", "--json")) for _ in range(2)]
    refused = command("supersede", "key", "key")

    assert told.stdout.startswith("remembered key; it does not come back: it expired on 2020-01-01")
    assert "restore key takes that away" in told.stdout.replace("\n", " ")
    assert "expired" in listed["notice"]
    assert [one["done"] for one in twice] == ["remembered", "unchanged"]
    assert twice[0]["memory_id"] == twice[1]["memory_id"]
    assert refused.exit_code == 2
    assert "cannot take its own place" in refused.stderr
    assert json.dumps(twice[1]["notice"]) == '""'
