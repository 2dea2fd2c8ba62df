"""A store that version 0.1 wrote: opened, asked, taught, examined, written to.

`samples/store-0.1.tar.xz` was made by version 0.1.0: `samples/export-0.1.jsonl` imported, one note
remembered, one recall traced, one session voted on and resolved, all with the hashing embedder.
"""

import sqlite3
import tarfile
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest

from secondhop import Recall
from secondhop.memories.copying import copied
from secondhop.stores.store_directory import StoreDirectory

STORE = Path(__file__).parent / "samples" / "store-0.1.tar.xz"
TRACE = "2c898dcb1e5a"
QUESTION = "Where is the key of the shed?"


@pytest.fixture
async def upgraded(tmp_path: Path) -> AsyncIterator[Recall]:
    with tarfile.open(STORE) as packed:
        packed.extractall(tmp_path, filter="data")
    async with await Recall.aopen(tmp_path, entity="ana", embedder="hashing") as recall:
        yield recall


async def test_memories_facts_and_what_ended_are_as_version_0_1_left_them(upgraded: Recall) -> None:
    stored = {one.memory_id: one.end[:10] for one in await upgraded.memories.alist()}
    facts = await upgraded.memories.afacts("me", "job")

    assert len(stored) == 11
    assert {i: end for i, end in stored.items() if end} == {
        "chat": "deprecated",
        "f-baker": "superseded",
        "mat": "superseded",
    }
    assert [fact.value for fact in facts] == ["cook"]
    assert (await upgraded.admin.adoctor()).sound


async def test_it_is_asked_taught_and_written_to(upgraded: Recall) -> None:
    before = await upgraded.arecall(QUESTION)
    stored = await upgraded.memories.aremember("The spare key is with Mrs Rossi next door.")
    await upgraded.memories.aforget("hook")
    after = await upgraded.arecall(QUESTION)
    answer = await upgraded.sessions.astart(QUESTION)
    resolved = await upgraded.sessions.aresolve(answer.session_id, accepted=["pot"])

    assert before.memories[0].id == "pot"
    assert "hook" in before.ids()
    assert {"pot", stored.memory_id} <= set(after.ids())
    assert "hook" not in after.ids()
    assert resolved.learned is not None


def lessons_in(folder: Path) -> list[Path]:
    """The files in which version 0.1 kept what sessions taught."""
    return list(folder.rglob("learning.db"))


async def test_what_it_traced_is_read_and_what_it_learned_without_words_is_gone(
    upgraded: Recall, tmp_path: Path
) -> None:
    told = upgraded.explain(TRACE, "pot")
    learned = await upgraded.learning.areport()

    assert told.returned
    assert (learned.on, learned.questions) == (True, [])
    assert lessons_in(tmp_path) == []


async def test_learning_that_was_off_stays_off_also_in_a_copy(tmp_path: Path) -> None:
    with tarfile.open(STORE) as packed:
        packed.extractall(tmp_path, filter="data")
    (lessons,) = lessons_in(tmp_path)
    with closing(sqlite3.connect(lessons)) as opened, opened:
        opened.execute("INSERT INTO switch (off) VALUES (1)")

    async with aclosing(StoreDirectory(tmp_path)) as home:
        await copied(home, tmp_path / "copy")

    for store in (tmp_path, tmp_path / "copy"):
        async with await Recall.aopen(store, entity="ana", embedder="hashing") as recall:
            assert not (await recall.learning.areport()).on


async def test_memories_are_given_cues_and_recalled_by_them(upgraded: Recall) -> None:
    await upgraded.memories.cues.aadd("diary", "Was it wet when we were away?")
    result = await upgraded.arecall("Was it wet when we were away?")
    told = upgraded.explain(result.trace_id, "diary")

    assert told.returned
    assert "Stored for “Was it wet when we were away?”." in told.story
