"""Remembering the same words again, almost the same words, and words already expired."""

import asyncio
import copy
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes import note

from secondhop.errors import NotStoredError
from secondhop.memories.service import MemoryService
from secondhop.recall import Recall

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
KEY = "The spare key is under the blue pot"


@pytest.fixture
async def memories(tmp_path: Path) -> AsyncIterator[MemoryService]:
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        yield at_hour(recall.memories, 9)


def at_hour(memories: MemoryService, hour: int, *, day: int = 1) -> MemoryService:
    """The same memory service at another time."""
    later = copy.copy(memories)
    later.writing = replace(memories.writing, clock=lambda: NOW.replace(hour=hour, day=day))
    return later


async def test_the_same_words_of_a_day_are_stored_once(memories: MemoryService) -> None:
    first = await memories.aremember(KEY, title="Spare key")
    again = await at_hour(memories, 22).aremember(KEY, title="Spare key")

    assert (first.done, again.done, again.memory_id) == ("remembered", "unchanged", first.memory_id)
    assert (await memories.writing.store.counts()).memories == 1


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
        await memories.aremember(KEY, title="Spare key", valid_until=NOW + timedelta(hours=1)),
        await memories.aremember(KEY, title="Spare key", at=NOW - timedelta(hours=1)),
        await memories.aremember(KEY, title="Spare key", supersedes=[first.memory_id]),
    ]

    assert {one.done for one in others} == {"remembered"}
    assert len({one.memory_id for one in (first, *others)}) == 9


async def test_who_remembers_what_has_expired_is_told(memories: MemoryService) -> None:
    past = await memories.aremember(KEY, valid_until=datetime(2020, 1, 1, tzinfo=UTC))
    future = await memories.aremember("Another", valid_until=NOW + timedelta(days=1))

    assert past.done == "remembered"
    assert "will not return it, because it already expired on 2020-01-01 00:00 UTC" in past.notice
    assert future.notice == ""


async def test_who_repeats_what_is_stored_is_told_what_does_not_happen(
    memories: MemoryService,
) -> None:
    await memories.aremember("the old plan", memory_id="old")
    await memories.aremember(KEY, memory_id="key")

    marked = await memories.aremember(KEY, memory_id="key", mark="core", supersedes=["old"])
    await memories.adeprecate("key", "it was moved")
    ended = await memories.aremember(KEY, memory_id="key")

    assert "key keeps its mark; update it" in marked.notice
    assert "did not supersede old" in marked.notice
    assert "no longer holds: deprecated on 2026-03-01: it was moved; restore it" in ended.notice
    assert {marked.done, ended.done} == {"unchanged"}
    plain = await memories.aremember("the old plan", memory_id="old")
    assert (plain.done, plain.notice) == ("unchanged", "")
    await memories.aupdate("old", mark="core", salience=0.9)
    same = await memories.aremember("the old plan", memory_id="old", mark="core")
    assert same.notice == ""
    with pytest.raises(NotStoredError):
        await memories.aremember("the old plan", memory_id="old", supersedes=["nobody"])


async def test_a_new_version_keeps_salience_mark_title_tags_and_source(
    memories: MemoryService,
) -> None:
    letter = replace(note("letter", "We come on Friday"), title="Visit", source="mail", tags=("x",))
    await memories.aadd([letter])
    await memories.aupdate("letter", salience=0.9, mark="core")

    await memories.aupdate("letter", "We come on Sunday", new_id="second")

    second = await memories.writing.existing("second")
    assert (second.title, second.source, second.tags) == ("Visit", "mail", ("x",))
    kept = await memories.writing.store.look(lambda view: view.keeping("second"))
    assert (kept.salience, kept.mark) == (0.9, "core")
