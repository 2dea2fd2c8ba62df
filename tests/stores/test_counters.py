"""Retrieved, shown, accepted: counted apart, once a recall, and only when somebody says so."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from secondhop.stores.counters import LATELY_KEPT, Counters, CounterStore, ShownLately, Use

AT = datetime(2026, 3, 1, tzinfo=UTC)


def use(trace_id: str, *, accepted: tuple[str, ...] = ("a",), at: datetime = AT) -> Use:
    return Use(
        trace_id=trace_id, at=at, retrieved=["a", "b", "c"], shown=["a", "b"], accepted=accepted
    )


async def test_three_counters_grow_apart(tmp_path: Path) -> None:
    counters = CounterStore(tmp_path / "counters.db")

    assert await counters.count(use("t1")) == 6
    await counters.count(use("t2", accepted=()))

    assert await counters.of(["a", "b", "c", "d"]) == {
        "a": Counters(retrieved=2, shown=2, accepted=1, accepted_at=AT),
        "b": Counters(retrieved=2, shown=2),
        "c": Counters(retrieved=2),
        "d": Counters(),
    }


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


def shown(question: str, *memory_ids: str, at: datetime = AT, **weary: float) -> Use:
    """A recall where variety was asked for, of which nothing was accepted."""
    lately = ShownLately(question=question, at=at, memory_ids=memory_ids, weary=weary)
    return replace(use(question, accepted=()), lately=lately)


async def test_what_was_shown_lately_is_told_the_oldest_first(tmp_path: Path) -> None:
    counters = CounterStore(tmp_path / "counters.db")
    assert await counters.lately() == []
    await counters.count(use("without"))
    assert await counters.lately() == []

    await counters.count(shown("second", "b", at=AT + timedelta(minutes=1)))
    await counters.count(shown("first", "b", "a", b=0.5, c=1.0))
    await counters.count(shown("at the same time as the first", "a"))

    assert [(one.question, list(one.memory_ids), one.weary) for one in await counters.lately()] == [
        ("first", ["a", "b"], {"b": 0.5, "c": 1.0}),
        ("at the same time as the first", ["a"], {}),
        ("second", ["b"], {}),
    ]


async def test_a_question_shown_again_keeps_its_place(tmp_path: Path) -> None:
    counters = CounterStore(tmp_path / "counters.db")
    for question in ("one", "two"):
        await counters.count(shown(question, "a"))

    await counters.count(shown("one", "b", at=AT + timedelta(days=1)))

    found = [(one.question, list(one.memory_ids), one.at) for one in await counters.lately()]
    assert found == [("one", ["b"], AT), ("two", ["a"], AT)]


async def test_only_the_last_questions_are_kept(tmp_path: Path) -> None:
    counters = CounterStore(tmp_path / "counters.db")
    for number in range(LATELY_KEPT + 2):
        await counters.count(shown(f"q{number}", "a"))

    assert [one.question for one in await counters.lately()] == [
        f"q{number}" for number in range(2, LATELY_KEPT + 2)
    ]


async def test_what_was_shown_lately_forgets_a_memory_and_leaves_none_of_it(
    tmp_path: Path,
) -> None:
    counters = CounterStore(tmp_path / "counters.db")
    await counters.count(shown("q", "walnut", "b", chestnut=1.0))
    assert {"walnut", "chestnut"} <= await counters.memory_ids()

    await counters.forget(["walnut", "chestnut"])

    (left,) = await counters.lately()
    assert (list(left.memory_ids), left.weary) == (["b"], {})
    assert not {"walnut", "chestnut"} & await counters.memory_ids()
    assert b"nut" not in (tmp_path / "counters.db").read_bytes()


async def test_counters_of_a_version_that_kept_nothing_of_it_are_read_and_written(
    tmp_path: Path,
) -> None:
    counters = CounterStore(tmp_path / "counters.db")
    await counters.count(use("old"))
    with closing(sqlite3.connect(tmp_path / "counters.db")) as old:
        old.execute("DROP TABLE lately")
        old.execute("PRAGMA user_version = 0")

    assert await counters.lately() == []
    assert "a" in await counters.memory_ids()
    await counters.count(shown("q", "a"))
    assert [one.question for one in await counters.lately()] == ["q"]
