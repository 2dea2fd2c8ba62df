"""Retrieved, shown and accepted are counted separately, once per recall, and only when reported."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from secondhop.stores.counters import Counters, CounterStore, Use

AT = datetime(2026, 3, 1, tzinfo=UTC)


def use(trace_id: str, *, accepted: tuple[str, ...] = ("a",), at: datetime = AT) -> Use:
    return Use(
        trace_id=trace_id, at=at, retrieved=["a", "b", "c"], shown=["a", "b"], accepted=accepted
    )


async def test_a_recall_counts_once_and_a_later_word_adds_to_it(tmp_path: Path) -> None:
    counters = CounterStore(tmp_path / "counters.db")
    await counters.count(use("t"))

    assert await counters.count(use("t")) == 0
    assert await counters.count(use("t", accepted=("a", "b"))) == 1
    found = await counters.of(["a", "b"])
    assert [(one.shown, one.accepted) for one in found.values()] == [(1, 1), (1, 1)]


async def test_reading_makes_no_file_and_forgetting_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "counters.db"
    counters = CounterStore(path)
    await counters.of(["a"])
    await counters.forget(["a"])
    assert not path.exists()

    await counters.count(Use(trace_id="t", at=AT, retrieved=["zebra"], shown=[], accepted=[]))
    assert b"zebra" in path.read_bytes()
    await counters.forget(["zebra"])
    assert b"zebra" not in path.read_bytes()
    assert await counters.of(["zebra"]) == {"zebra": Counters()}


async def test_counters_of_version_0_1_are_read_and_written(tmp_path: Path) -> None:
    counters = CounterStore(tmp_path / "counters.db")
    await counters.count(use("old"))
    with closing(sqlite3.connect(tmp_path / "counters.db")) as old:
        old.execute("PRAGMA user_version = 0")

    assert "a" in await counters.memory_ids()
    assert await counters.count(use("new")) > 0
