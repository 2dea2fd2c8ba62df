"""How the catalog finds memories for the start of a session."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from secondhop.stores.catalog.briefing import QUERIES
from secondhop.stores.catalog.catalog import Catalog, Identity


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with closing(Catalog(tmp_path / "catalog.db")) as opened:
        opened.create(Identity(entity="e", embedder_id="hash-16", dimension=16))
        yield opened


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
