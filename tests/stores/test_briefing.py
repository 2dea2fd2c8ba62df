"""Which memories the catalog offers for the start of a session."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from secondhop.stores.catalog.briefing import QUERIES, BriefingView
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import keep as keep_changes
from secondhop.stores.keeping import Keeping, KeepingChange
from secondhop.stores.records import EmbeddedMemory, Memory

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)

T = TypeVar("T")


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with closing(Catalog(tmp_path / "catalog.db")) as opened:
        opened.create(Identity(entity="e", embedder_id="hash-16", dimension=16))
        yield opened


def stored(
    catalog: Catalog, make: SimpleNamespace, memory_id: str, *texts: str, days: float, **parts: Any
) -> None:
    ready: EmbeddedMemory = make.memory(memory_id, *texts or (f"text of {memory_id}",))
    memory: Memory = replace(ready.memory, created_at=ago(days), **parts)
    catalog.store([replace(ready, memory=memory)], intent=catalog.intend([]), at=NOW)


def keep(catalog: Catalog, memory_id: str, keeping: Keeping) -> None:
    change = KeepingChange(memory_id=memory_id, keeping=keeping, act="changed", at=NOW)
    catalog.write(keep_changes, [change])


def briefed(
    catalog: Catalog, look: Callable[[BriefingView], T], *, until: datetime | None = None
) -> T:
    now = until or NOW
    return catalog.read(lambda connection: look(BriefingView(connection, now=now, until=until)))


def shown(catalog: Catalog, *, until: datetime | None = None) -> dict[str, list[str]]:
    def look(view: BriefingView) -> dict[str, list[str]]:
        lists = {
            "core": view.core(),
            "active": view.active(),
            "preferences": view.preferences(),
            "recent": view.recent(100),
        }
        return {name: [one.memory_id for one in own] for name, own in lists.items()}

    return briefed(catalog, look, until=until)


def test_every_memory_is_in_one_category_the_newest_first(
    catalog: Catalog, make: SimpleNamespace
) -> None:
    stored(catalog, make, "note", days=3)
    stored(catalog, make, "talk", days=2, source="conversation")
    stored(catalog, make, "todo", days=4, source="todo")
    stored(catalog, make, "open", days=5)
    stored(catalog, make, "core", days=6)
    stored(catalog, make, "core todo", days=7, source="task")
    stored(catalog, make, "always", days=8, kind="preferential", scope="always")
    keep(catalog, "open", Keeping(mark="open"))
    keep(catalog, "core", Keeping(mark="core"))
    keep(catalog, "core todo", Keeping(mark="core"))

    assert shown(catalog) == {
        "core": ["core", "core todo"],
        "active": ["todo", "open"],
        "preferences": ["always"],
        "recent": ["talk", "note"],
    }


def test_at_an_earlier_moment_what_came_later_is_not_there_and_what_it_replaced_is(
    catalog: Catalog, make: SimpleNamespace
) -> None:
    stored(catalog, make, "old", days=9)
    stored(catalog, make, "new", days=3)
    keep(catalog, "old", Keeping(superseded_at=ago(3), superseded_by="new"))

    assert shown(catalog, until=ago(4))["recent"] == ["old"]
    assert shown(catalog, until=ago(3))["recent"] == ["new"]
    assert shown(catalog)["recent"] == ["new"]


@pytest.mark.parametrize("query", QUERIES)
def test_no_query_goes_through_all_memories(catalog: Catalog, tmp_path: Path, query: str) -> None:
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as connection:
        values = dict.fromkeys(("now", "until", "mark", "limit", "ids", "kind"), "[]") | {
            "limit": 9
        }
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", values).fetchall()
    steps = [row[3] for row in plan]
    assert not [step for step in steps if step.startswith("SCAN memories") and "USING" not in step]
    assert any("INDEX" in step for step in steps)
