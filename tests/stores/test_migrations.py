"""Schema migrations: each runs once, all or nothing, and never on a newer file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.migrations import MIGRATIONS
from secondhop.stores.catalog.reads import cards
from secondhop.stores.cues import Cue
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import Keeping
from secondhop.stores.locks import WriterLock
from secondhop.stores.sqlite import migrate, schema_version
from secondhop.stores.vectors.memory_index import MemoryIndex


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        yield opened


def tables(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {name for (name,) in rows}


def test_a_step_that_fails_leaves_nothing_behind(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, path=Path("x"), steps=[("CREATE TABLE one (x)", "NONSENSE")])
    assert (schema_version(connection), tables(connection)) == (0, set())


def test_a_catalog_whose_creation_was_cut_short_counts_as_none(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    for statements in ((), MIGRATIONS[0]):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) if statements else 0}")
        with closing(Catalog(path)) as catalog:
            assert not catalog.exists()
    with closing(Catalog(path)) as catalog:
        identity = Identity(entity="e", embedder_id="m", dimension=4)
        catalog.create(identity)
        assert catalog.exists()
        assert catalog.identity() == identity


def old_catalog(path: Path, make: SimpleNamespace) -> None:
    """Write a catalog with the first schema and one memory."""
    with closing(Catalog(path)) as catalog:
        catalog.create(Identity(entity="e", embedder_id=make.embedder, dimension=make.dimension))
        catalog.store(
            [make.memory("a", "the boiler hums")], intent=catalog.intend([]), at=datetime.now(UTC)
        )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        rows = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql > ''"
        )
        for index in {name for (name,) in rows} - {"memories_by_origin", "passages_by_memory"}:
            connection.execute(f"DROP INDEX {index}")
        for table in ("keeping", "history", "earlier_texts", "cues", "annotations", "replacements"):
            connection.execute(f"DROP TABLE {table}")
        for column in ("kind", "subject", "attribute", "value", "scope", "slot", "tags"):
            connection.execute(f"ALTER TABLE memories DROP COLUMN {column}")
        connection.execute("ALTER TABLE outbox DROP COLUMN cue_ids")
        connection.execute("PRAGMA user_version = 1")


async def test_a_store_of_the_first_schema_opens_with_the_vectors_it_has(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    old_catalog(tmp_path / "catalog.db", make)
    catalog, index = Catalog(tmp_path / "catalog.db"), MemoryIndex()
    old = make.memory("a", "the boiler hums")
    await index.upsert([old.passages[0].passage_id], old.vectors)
    store = EntityStore(
        catalog,
        index,
        identity=catalog.identity(),
        lock=WriterLock(tmp_path / "lock"),
        cue_index=MemoryIndex(),
    )

    await store.open()

    assert await store.memory("a") == old.memory
    ((hit,),) = await store.dense(old.vectors, k=5)
    assert hit.passage_id == old.passages[0].passage_id
    assert (await store.cards(["a"]))["a"].keeping == Keeping()
    assert not catalog.needs_upgrade()
    await store.put([make.memory("a", "the boiler is silent")])
    (kept,) = await store.look(lambda view: view.earlier_texts("a"))
    assert kept.memory == old.memory
    assert await store.cues.search(old.vectors, k=5) == [[]]
    cue = Cue(memory_id="a", text="who repairs the heating")
    await store.cues.add([cue], make.vectors(cue.text))
    ((found,),) = await store.cues.search(make.vectors(cue.text), k=5)
    assert found.memory_id == "a"
    await store.aclose()


def test_a_migration_that_is_killed_half_way_runs_again(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    path = tmp_path / "catalog.db"
    old_catalog(path, make)
    killed = sqlite3.connect(path, isolation_level=None)
    killed.execute("BEGIN IMMEDIATE")
    for statement in MIGRATIONS[1][:4]:
        killed.execute(statement)
    killed.close()  # as the system does when a process is gone

    with closing(Catalog(path)) as catalog:
        assert catalog.needs_upgrade()
        catalog.upgrade()
        assert not catalog.needs_upgrade()
        assert catalog.read(cards, ["a"])["a"].kind == "continuity"
