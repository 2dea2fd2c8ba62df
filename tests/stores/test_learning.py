"""Lessons in a file: whole or not at all, two at a time, and forgotten without a trace."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from tests.stores.learning_writer import one_more

from secondhop.errors import CorruptStoreError, SchemaVersionError
from secondhop.stores.learning import LearningStore
from secondhop.stores.lessons import (
    LearnedContext,
    LearningChange,
    LearningState,
    Lessons,
    SessionCue,
    Weight,
)

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
WRITER = Path(__file__).with_name("learning_writer.py")


def context(context_id: str, *memory_ids: str) -> LearnedContext:
    return LearnedContext(
        context_id=context_id,
        embedder_id="hashing",
        vector=np.array([0.6, 0.8], dtype=np.float32),
        lessons=Lessons(
            at=AT,
            sessions=1.5,
            rounds=4.0,
            weights={memory_id: Weight(good=1.0, bad=0.5) for memory_id in memory_ids},
            cues=[SessionCue(spark="zebra", leads_to="a", wins=2)] if "zebra" in memory_ids else [],
        ),
    )


async def taught(path: Path, *contexts: LearnedContext) -> LearningStore:
    store = LearningStore(path)
    await store.change(lambda _: LearningChange(kept=contexts))
    return store


def ids(state: LearningState) -> list[str]:
    return [one.context_id for one in state.contexts]


async def test_reading_forgetting_and_switching_on_make_no_file(tmp_path: Path) -> None:
    store = LearningStore(tmp_path / "entity" / "learning.db")

    assert await store.read() == LearningState()
    await store.forget(["a"])
    await store.clear()
    await store.switch(on=True)

    assert not (tmp_path / "entity").exists()


async def test_what_is_written_is_read_again_and_counted(tmp_path: Path) -> None:
    written = [context("c1", "a", "zebra"), context("c2")]
    store = await taught(tmp_path / "learning.db", *written)
    await store.change(lambda _: None)

    known = await LearningStore(tmp_path / "learning.db").read()

    assert (known.on, ids(known)) == (True, ["c1", "c2"])
    assert known.contexts[0].lessons == written[0].lessons
    assert known.contexts[0].vector.tolist() == written[0].vector.tolist()
    assert known.contexts[0].vector.dtype == np.float32


async def test_named_contexts_alone_are_read_and_none_while_it_is_off(tmp_path: Path) -> None:
    store = LearningStore(tmp_path / "learning.db")
    assert await store.centres() == []
    assert await store.contexts(["c1"]) == []

    await store.change(lambda _: LearningChange(kept=[context("c1", "a"), context("c2", "b")]))
    (found,) = await store.contexts(["c2", "unknown"])

    assert [one.context_id for one in await store.centres()] == ["c1", "c2"]
    assert (found.context_id, list(found.lessons.weights)) == ("c2", ["b"])
    await store.switch(on=False)
    assert await store.centres() == []


async def test_two_stores_over_one_file_lose_no_lesson(tmp_path: Path) -> None:
    path = tmp_path / "learning.db"
    stores = [LearningStore(path), LearningStore(path)]

    await asyncio.gather(*(store.change(one_more) for store in stores for _ in range(15)))

    known = await stores[0].read()
    assert known.contexts[0].lessons.sessions == 30
    assert known.contexts[0].lessons.weights["memory-7"] == Weight(good=30)


async def test_forgetting_a_memory_leaves_no_byte_of_it(tmp_path: Path) -> None:
    path = tmp_path / "learning.db"
    store = await taught(path, context("c1", "a", "zebra"), context("c2", "zebra"))
    assert b"zebra" in bytes_below(tmp_path)

    await store.forget(["zebra", "unknown"])

    assert b"zebra" not in bytes_below(tmp_path)
    known = await store.read()
    assert ids(known) == ["c1"]  # nothing was left in the other
    assert known.contexts[0].lessons.weights == {"a": Weight(good=1.0, bad=0.5)}
    assert not known.contexts[0].lessons.cues


async def test_all_is_forgotten_but_the_switch(tmp_path: Path) -> None:
    store = await taught(tmp_path / "learning.db", context("c1", "zebra"))
    await store.switch(on=False)

    await store.clear()

    known = await LearningStore(tmp_path / "learning.db").read()
    assert (known.on, ids(known)) == (False, [])
    assert b"zebra" not in bytes_below(tmp_path)
    await store.switch(on=True)
    assert (await store.read()).on


@pytest.mark.parametrize(
    "damage",
    [
        "lessons = '{'",
        "lessons = '[]'",
        "lessons = replace(lessons, '1.0', '-9')",
        "lessons = replace(lessons, '1.0', 'Infinity')",
        "lessons = replace(lessons, '1.0', 'NaN')",
        "lessons = replace(lessons, 'Z', '')",
        "lessons = json_set(lessons, '$.weights', json('[]'))",
        "lessons = json_set(lessons, '$.cues', json('[{}]'))",
        "vector = x'0102030405'",
        "vector = x'0000c07f0000c07f'",
    ],
)
async def test_damaged_lessons_are_an_error_and_never_a_boundless_factor(
    tmp_path: Path, damage: str
) -> None:
    store = await taught(tmp_path / "learning.db", context("c1", "a"))
    with store._database.writing() as connection:  # pyright: ignore[reportPrivateUsage] - its file
        connection.execute(f"UPDATE contexts SET {damage}")

    with pytest.raises(CorruptStoreError, match="delete it, and learning starts again"):
        await store.contexts(["c1"])


async def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    store = await taught(tmp_path / "learning.db", context("c1", "a"))
    with closing(sqlite3.connect(tmp_path / "learning.db")) as file:
        file.execute("PRAGMA user_version = 99")

    for write in (
        store.change(one_more),
        store.switch(on=False),
        store.forget(["a"]),
        store.clear(),
    ):
        with pytest.raises(SchemaVersionError, match="99"):
            await write
    with store._database.reading() as connection:  # pyright: ignore[reportPrivateUsage] - its file
        assert connection.execute("SELECT count(*) FROM contexts").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM switch").fetchone() == (0,)


async def test_a_file_that_was_never_finished_is_finished_or_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "learning.db"
    path.touch()  # whoever began it was killed
    store = LearningStore(path)

    assert await store.read() == LearningState()
    assert await store.centres() == []
    await store.forget(["a"])
    await store.clear()
    await store.change(one_more)

    assert ids(await store.read()) == ["c"]


@pytest.mark.slow
async def test_two_processes_lose_no_lesson_and_a_killed_one_leaves_whole_ones(
    tmp_path: Path,
) -> None:
    path = tmp_path / "learning.db"
    writers = [writer(path, "20"), writer(path, "20")]
    killed = writer(path, "")
    assert killed.stdout is not None
    told = [killed.stdout.readline() for _ in range(5)]
    killed.kill()
    for one in (*writers, killed):
        one.communicate(timeout=60)

    known = await LearningStore(path).read()

    assert told[-1] == "4\n"
    sessions = known.contexts[0].lessons.sessions
    assert sessions >= 45
    assert set(known.contexts[0].lessons.weights.values()) == {Weight(good=sessions)}


def writer(path: Path, *words: str) -> "subprocess.Popen[str]":
    command: Sequence[str] = [sys.executable, str(WRITER), str(path), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def bytes_below(folder: Path) -> bytes:
    """Of all files, the write-ahead log among them."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_a_file_of_version_0_1_is_read_and_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "learning.db"
    old = (
        '{"at":"2026-03-01T09:30:00+00:00","sessions":1.5,"rounds":4.0,"weights":{"a":[1.0,0.5]},'
        '"pairs":[["a","zebra",2.0]],"hooks":[{"spark":"zebra","leads_to":"a","wins":2,'
        '"misses":0,"retired":false}]}'
    )
    vector = np.array([0.6, 0.8], dtype="<f4").tobytes()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("CREATE TABLE contexts (context_id PRIMARY KEY, embedder_id, vector, lessons)")
        file.execute("CREATE TABLE rounds (rounds INTEGER PRIMARY KEY, sessions INTEGER)")
        file.execute("CREATE TABLE switch (off INTEGER NOT NULL)")
        file.execute("INSERT INTO contexts VALUES ('c1', 'hashing', ?, ?)", (vector, old))
        file.execute("PRAGMA user_version = 1")
        file.commit()
    store, other = LearningStore(path), LearningStore(path)
    assert (await other.read()).contexts  # another worker has it open

    (known,) = (await store.read()).contexts
    await store.forget(["zebra"])
    assert ids(await other.read()) == ["c1"]
    await other.aclose()
    await store.forget(["zebra"])
    await store.aclose()

    assert known.lessons.weights == {"a": Weight(good=1.0, bad=0.5)}
    assert known.lessons.cues == [SessionCue(spark="zebra", leads_to="a", wins=2)]
    (left,) = (await LearningStore(path).read()).contexts
    assert left.lessons.memory_ids() == {"a"}
    assert b"zebra" not in bytes_below(tmp_path)
