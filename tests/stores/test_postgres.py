"""What is special about a store in PostgreSQL, which also passes the conformance tests."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, aclosing, closing
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import psycopg
import pytest
from tests.annotate.cue_writer import sheet_of, writing
from tests.postgres_server import PostgresForTests, running_postgres
from tests.stores.consistency import wrong_postings

from secondhop import Config, Recall, RecallStore, TraceSettings, recall_pool
from secondhop.annotate.settings import AnnotateSettings
from secondhop.errors import (
    EmbedderMismatchError,
    NotStoredError,
    SchemaVersionError,
    StoreBusyError,
    StoreError,
    UnknownEntityError,
)
from secondhop.memories.delete_entity import adelete_entity
from secondhop.memories.reindex import areindex
from secondhop.recall_pool import RecallPool
from secondhop.stores.catalog.migrations import MIGRATIONS
from secondhop.stores.counters import COUNTERS, Counters, Use
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.postgres import server as server_module
from secondhop.stores.postgres.place import PostgresPlace
from secondhop.stores.postgres.schema import SCHEMA, STEPS, TABLES
from secondhop.stores.postgres.server import PostgresServer
from secondhop.stores.sessions_database import SESSIONS
from secondhop.stores.sqlite import in_memory
from secondhop.stores.store_directory import StoreDirectory
from secondhop.testing import ScriptedModel, note

pytestmark = pytest.mark.slow
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOGINS = ["postgres", "plain_login"]
"""A superuser, who bypasses row-level security, and a plain owner of the tables."""


@pytest.fixture
async def home(postgres: PostgresForTests) -> AsyncIterator[StoreDirectory]:
    async with aclosing(StoreDirectory(postgres.database())) as opened:
        yield opened


async def opened(home: StoreDirectory, entity: str = "me", *, dimension: int = 16) -> EntityStore:
    return await home.open_entity(entity, embedder_id="hash-16", dimension=dimension)


def test_its_tables_have_the_columns_of_sqlite(postgres: PostgresForTests) -> None:
    address = postgres.database()
    with closing(PostgresServer(address)) as server:
        server.migrate()
        server.migrate(vectors=True)
    with psycopg.connect(address) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_schema = %s AND column_name NOT IN ('entity', 'rowid')",
            (SCHEMA,),
        ).fetchall()
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(str(table), set()).add(str(column))

    for steps in (MIGRATIONS, COUNTERS, SESSIONS):
        with in_memory(steps) as sqlite:
            assert columns_of(sqlite) == {name: found[name] for name in columns_of(sqlite)}
    assert found.keys() - TABLES == {
        *("store", "entities", "annotating", "schema_version", "vectors", "tokens")
    }


async def test_a_first_write_that_fails_for_want_of_pgvector_leaves_no_entity(
    postgres: PostgresForTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = postgres.database()
    with closing(PostgresServer(address)) as server:
        server.migrate()
    monkeypatch.setattr(server_module, "VECTOR_STEPS", ("CREATE EXTENSION no_such_extension",))

    async with await Recall.aopen(address, embedder="hashing") as recall:
        with pytest.raises(StoreError, match="is not available"):
            await recall.memories.aremember("The key is under the mat")

    async with aclosing(StoreDirectory(address)) as home:
        assert home.entities() == []
        assert not home.place.holds("default")


def test_a_missing_pgvector_is_said_in_one_sentence() -> None:
    said = (
        'extension "vector" is not available\nHINT:  The extension must first be installed on the '
        "system where PostgreSQL is running."
    )
    server = PostgresServer("postgresql://me@localhost/memories")
    with (
        pytest.raises(StoreError, match="PostgreSQL is running; install pgvector there, or keep"),
        server._errors(),  # pyright: ignore[reportPrivateUsage] - pgvector is there
    ):
        raise psycopg.errors.FeatureNotSupported(said)


def columns_of(connection: sqlite3.Connection) -> dict[str, set[str]]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        for (name,) in tables
    }


@pytest.mark.parametrize("login", LOGINS)
async def test_an_earlier_schema_is_brought_to_the_newest_and_a_newer_one_refused(
    postgres: PostgresForTests, monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    address = postgres.database(role=login)
    for known in range(1, len(STEPS)):
        monkeypatch.setattr(server_module, "STEPS", STEPS[:known])
        with closing(PostgresServer(address)) as server:
            server.migrate()
    monkeypatch.undo()

    with closing(PostgresPlace(address, chroma_url=None)) as place:
        assert place.tokens.listed() == []  # and creates no table
        async with await Recall.aopen(address, embedder="hashing") as recall:
            await recall.memories.aremember("The tyres are in the cellar.", memory_id="tyres")
            assert (await recall.arecall("Where are the tyres?")).ids() == ["tyres"]
        place.tokens.add("one", "text")
        assert place.tokens.listed() == ["text"]

    with psycopg.connect(address) as connection:
        versions = connection.execute(f"SELECT version FROM {SCHEMA}.schema_version".encode())
        assert versions.fetchall() == [(len(STEPS),)]
        connection.execute(f"UPDATE {SCHEMA}.schema_version SET version = 99".encode())
    with pytest.raises(SchemaVersionError):
        await Recall.aopen(address, embedder="hashing")


# --- entities ---


@pytest.mark.parametrize("login", LOGINS)
async def test_a_handle_of_one_entity_reaches_nothing_of_another(
    postgres: PostgresForTests, make: SimpleNamespace, login: str
) -> None:
    address = postgres.database(role=login)
    async with AsyncExitStack() as closes:
        home = await closes.enter_async_context(aclosing(StoreDirectory(address)))
        mara = await closes.enter_async_context(aclosing(await opened(home, "mara")))
        noor = await closes.enter_async_context(aclosing(await opened(home, "noor")))
        await mara.put([make.memory("m", "alpha")])
        await noor.put([make.memory("n", "alpha"), make.memory("o", "beta")])

        forged = make.memory("n", "alpha").passages[0].passage_id
        assert await mara.memory("n") is None
        assert await mara.passages([forged]) == {}
        assert await mara.vectors([forged]) == {}
        assert await mara.delete(["n"]) == 0
        assert (await noor.counts()).memories == 2
        (dense,) = await mara.dense(make.vectors("alpha"), k=9)
        assert {hit.memory_id for hit in dense} == {"m"}

    with closing(PostgresPlace(address, chroma_url=None)) as place:
        place.tokens.add("one", "text")
    with closing(PostgresServer(address)) as server:
        expect_bound(server, entity_slug("mara"), other=entity_slug("noor"))


def expect_bound(server: PostgresServer, entity: str, *, other: str) -> None:
    """Assert that a transaction sees only its own entity's rows, whatever its SQL says."""
    with server.transaction(entity, writes=False) as connection:
        rows = connection.execute("SELECT DISTINCT entity FROM memories").fetchall()
        assert rows == [(entity,)]
        sql = "SELECT count(*) FROM vectors WHERE entity = %s"
        assert connection.execute(sql, (other,)).fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM tokens").fetchone() == (0,)
    with server.transaction("", writes=False) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (0,)
    with server.transaction(entity, writes=True) as connection:
        assert connection.execute("DELETE FROM memories WHERE entity = %s", (other,)).rowcount == 0
    for forged in (other, ""):
        with (
            pytest.raises(StoreError, match="row-level security"),
            server.transaction(entity, writes=True) as connection,
        ):
            connection.execute(
                "INSERT INTO meta (entity, key, value) VALUES (%s, 'k', '')", [forged]
            )


async def test_entities_are_listed_and_deleted_one_by_one(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    assert home.entities() == []
    for name in ("zoë", "ana"):
        async with aclosing(await opened(home, name)) as store:
            await store.put([make.memory("m", "alpha")])
    assert home.entities() == ["ana", "zoë"]

    assert await home.delete_entity("zoë")
    assert not await home.delete_entity("zoë")

    assert home.entities() == ["ana"]
    async with aclosing(await opened(home, "zoë")) as store:
        assert (await store.counts()).vectors == 0
    async with aclosing(await opened(home, "ana")) as store:
        assert (await store.counts()).vectors == 1


async def test_an_embedder_that_differs_is_refused_and_a_reindex_changes_it(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    async with aclosing(await opened(home)) as store:
        await store.put([make.memory("m", "alpha", "beta")])
    with pytest.raises(EmbedderMismatchError):
        await opened(home, "other", dimension=4)

    async with home.reindexing("me", embedder_id="hash-16", dimension=4) as reindex:
        async for ((_, passages),) in reindex.catalog.pages():
            ids = [one.passage_id for one in passages]
            await reindex.new.passages.upsert(ids, np.eye(4, dtype=np.float32)[:2])
        await reindex.finish()

    async with aclosing(await opened(home, dimension=4)) as store:
        assert (await store.counts()).vectors == 2
        (hits,) = await store.dense(np.eye(4, dtype=np.float32)[:1], k=1)
        assert hits[0].score == 1.0


# --- what else is kept ---


async def test_counters_are_counted_and_forgotten(home: StoreDirectory) -> None:
    counters = home.place.counters("me")
    use = Use(trace_id="t", at=NOON, retrieved=["a", "b"], shown=["a"], accepted=["a"])
    assert [await counters.count(use), await counters.count(use)] == [4, 0]
    accepted = Counters(retrieved=1, shown=1, accepted=1, accepted_at=NOON)
    assert (await counters.of(["a"]))["a"] == accepted
    await counters.forget(["a"])
    assert await counters.memory_ids() == {"b"}


async def test_traces_are_read_by_any_worker_masked_and_let_go(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    settings = Config(traces=TraceSettings(max_count=2))
    async with await Recall.aopen(home.name, embedder="hashing", config=settings) as recall:
        await recall.aadd([note("tea", "Green tea steeps at 70 degrees.")])
        told = [(await recall.arecall(f"How hot is green tea {n}?")).trace_id for n in range(3)]
    async with await Recall.aopen(home.name, embedder="hashing") as elsewhere:
        assert elsewhere.trace(told[2]).returned == ["tea"]
        with pytest.raises(NotStoredError, match=told[2]):
            elsewhere.trace(told[0])
        gone = await elsewhere.memories.aforget("tea")
        assert gone.traces == 2
        assert "steeps" not in elsewhere.trace(told[2]).model_dump_json()


async def test_more_entities_may_forget_at_once_than_have_connections_for_it(
    postgres: PostgresForTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "FORGETTING", 2)
    monkeypatch.setattr(server_module, "TURNS", 2)
    address = postgres.database()
    async with AsyncExitStack() as opens:
        all_of_them = [
            await opens.enter_async_context(
                await Recall.aopen(address, entity=name, embedder="hashing")
            )
            for name in ("ann", "bob", "cyd", "dan")
        ]
        for recall in all_of_them:
            await recall.aadd([note("tea", "Green tea steeps at 70 degrees.")])
        gone = await asyncio.gather(*(one.memories.aforget("tea") for one in all_of_them))

    assert [one.complete for one in gone] == [True] * 4


async def test_more_entities_are_written_to_at_once_than_have_connections_or_threads(
    postgres: PostgresForTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "TURNS", 3)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))

    async with RecallPool(postgres.database(), embedder="hashing", max_open=30) as pool:

        async def write(number: int) -> None:
            async with pool.recall(f"user {number}") as recall:
                recall.admin.store.lock_timeout_s = 0.1
                await recall.memories.aremember("The key is under the mat")

        await asyncio.gather(*(write(number) for number in range(30)))


async def test_a_lock_that_is_held_elsewhere_is_said_to_be(home: StoreDirectory) -> None:
    async with await Recall.aopen(home.name, embedder="hashing") as recall:
        await recall.aadd([note("tea", "Green tea steeps at 70 degrees.")])
        store = recall.admin.store
        store.lock_timeout_s = 0.1
        with closing(PostgresServer(home.name)) as elsewhere:
            for key, doing, work in (
                ("secondhop", "writing to", recall.memories.aremember),
                ("secondhop-forgetting", "forgetting memories of", recall.memories.aforget),
            ):
                release = elsewhere.try_lock(f"{key} {entity_slug('default')}")
                assert release is not None
                with pytest.raises(StoreBusyError, match=f"in another one, has been {doing} this"):
                    await work("tea")
                release()


# --- annotating ---


async def left_by_a_worker(postgres: PostgresForTests) -> str:
    """The address of a new store with a memory whose cues its worker did not write."""
    address = postgres.database()
    slow = AnnotateSettings(quiet_seconds=60)
    unused = ScriptedModel({})
    opened = await Recall.aopen(address, embedder="hashing", llm=unused, annotate=slow)
    async with opened as recall:
        await recall.aadd([note("tea", "Green tea steeps at 70 degrees.")])
    left_alone(address)
    return address


async def test_what_a_worker_left_is_annotated_by_another(postgres: PostgresForTests) -> None:
    address = await left_by_a_worker(postgres)

    model = ScriptedModel({"annotate": writing()})
    async with RecallPool(address, embedder="hashing", llm=model) as pool:
        assert await pool.annotate_left() == "default"
        assert await pool.annotate_left() is None
        async with pool.recall("default") as recall:
            assert (await recall.memories.acounts()).annotated == 1


class BrokenOnceModel(ScriptedModel):
    """Fails in a way of its own when it is first asked."""

    failed = False

    async def complete(self, *args: Any, **bounds: Any) -> Any:
        if not self.failed:
            self.failed = True
            raise RuntimeError("no such thing")
        return await super().complete(*args, **bounds)


async def test_a_worker_that_failed_once_goes_on_with_what_others_left(
    postgres: PostgresForTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall_pool, "_POLL_S", 0.05)
    address = await left_by_a_worker(postgres)

    model = BrokenOnceModel({"annotate": writing()})
    async with (
        RecallPool(address, embedder="hashing", llm=model) as pool,
        pool.recall("default") as recall,
        asyncio.timeout(10),
    ):
        while not (await recall.memories.acounts()).annotated:  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0.05)


async def test_two_workers_do_not_annotate_the_same_memories(postgres: PostgresForTests) -> None:
    address = postgres.database()
    quick = AnnotateSettings(quiet_seconds=0.2)
    models = [ScriptedModel({"annotate": writing()}) for _ in range(2)]
    recalls: list[Recall] = []
    async with AsyncExitStack() as closes:
        for number, model in enumerate(models):
            opened = await Recall.aopen(address, embedder="hashing", llm=model, annotate=quick)
            recalls.append(await closes.enter_async_context(opened))
            await recalls[-1].aadd([note(f"tea{number}", f"Green tea number {number} is good.")])
        async with asyncio.timeout(20):
            while (await recalls[0].memories.acounts()).annotated < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
    asked = [sheet_of(request)[0] for model in models for request in model.requests]
    assert sum(map(len, asked)) == 2


def left_alone(address: str) -> None:
    """Make the annotating marks five minutes old."""
    with psycopg.connect(address) as connection:
        sql = f"UPDATE {SCHEMA}.annotating SET written_at = now() - interval '5 min'"
        connection.execute(sql.encode())


# --- many writers, and a server that goes away ---


async def test_two_stores_that_write_to_one_entity_at_once_lose_nothing(
    postgres: PostgresForTests, make: SimpleNamespace
) -> None:
    address = postgres.database()
    homes = [StoreDirectory(address) for _ in range(2)]
    stores = [await opened(home) for home in homes]

    await asyncio.gather(
        *(
            store.put([make.memory(f"m{worker}-{number}", f"text {number}")])
            for number in range(10)
            for worker, store in enumerate(stores)
        )
    )

    counts = await stores[0].counts()
    assert (counts.memories, counts.vectors, counts.pending) == (20, 20, 0)
    assert wrong_postings(homes[1].place.catalog("me")) == []
    for store, home in zip(stores, homes, strict=True):
        await store.aclose()
        await home.aclose()


async def test_a_write_that_another_store_took_for_dead_is_not_half_stored(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    catalog = home.place.catalog("me")
    async with aclosing(await opened(home)) as store:
        await store.put([make.memory("m", "alpha")])
        late = make.memory("late", "beta")
        intent = catalog.intend([late.passages[0].passage_id])
        await store.put([make.memory("n", "gamma")])  # this undoes the intent left open

        with pytest.raises(StoreError, match="was not stored: try again"):
            catalog.store([late], intent=intent, at=NOON)

        assert (await store.counts()).memories == 2
    catalog.close()


def test_a_server_that_does_not_answer_is_named_without_the_password() -> None:
    home = StoreDirectory("postgresql://ana:secret@127.0.0.1:1/memories")
    with pytest.raises(StoreError, match="does not answer") as told:
        home.entities()
    assert "postgresql://ana@127.0.0.1:1/memories" in str(told.value)
    assert "secret" not in str(told.value)
    home.place.close()


@pytest.mark.parametrize(
    ("login", "database", "told"),
    [
        ("postgres", "nodb", 'database "nodb" does not exist'),
        ("nouser", "postgres", 'role "nouser" does not exist'),
    ],
)
def test_a_server_without_the_database_or_the_login_is_not_said_to_be_silent(
    postgres: PostgresForTests, login: str, database: str, told: str
) -> None:
    home = StoreDirectory(f"postgresql://{login}@/{database}?host={postgres.folder}")
    with pytest.raises(StoreError, match=f"answers but refuses: {told}; create what") as refused:
        home.entities()
    assert "start it" not in str(refused.value)
    home.place.close()


@pytest.fixture
def own_server() -> Iterator[PostgresForTests]:
    """A PostgreSQL server that a test may kill."""
    with running_postgres() as server:
        yield server


async def test_a_killed_server_is_told_and_used_again_when_it_is_back(
    own_server: PostgresForTests, make: SimpleNamespace
) -> None:
    home = StoreDirectory(own_server.database())
    async with aclosing(home), aclosing(await opened(home)) as store:
        await store.put([make.memory(f"m{n}", "alpha", f"text {n}") for n in range(20)])
        for kill in range(2):
            own_server.kill()
            for asked in (
                store.memory("m1"),
                store.dense(make.vectors("alpha"), k=3),
                store.put([make.memory("late", "beta")]),
            ):
                with pytest.raises(StoreError, match="does not answer"):
                    await asked
            own_server.start()

            assert (await store.counts()).memories == 20 + kill
            await store.put([make.memory(f"new{kill}", "gamma")])
            found = await store.dense(make.vectors("gamma"), k=1)
            assert found[0][0].memory_id in {"new0", "new1"}
        assert (await store.counts()).pending == 0


def test_a_langgraph_store_keeps_its_items_there(postgres: PostgresForTests) -> None:
    address, ana = postgres.database(), ("memories", "ana")
    with RecallStore(address, embedder="hashing") as store:
        store.put(ana, "a", {"text": "The tomatoes need water."})
    with RecallStore(address, embedder="hashing") as store:
        assert store.list_namespaces() == [ana]
        assert [one.key for one in store.search(("memories",), query="tomatoes")] == ["a"]
        store.delete(ana, "a")
        assert store.get(ana, "a") is None


# --- what another process does to an entity that is open here ---


async def test_an_entity_that_is_deleted_elsewhere_is_unknown_until_it_is_opened_again(
    home: StoreDirectory,
) -> None:
    tea = note("tea", "Green tea steeps at 70 degrees.")
    async with await Recall.aopen(home.name, embedder="hashing") as recall:
        await recall.aadd([tea])
        assert (await recall.arecall("How hot is green tea?")).ids() == ["tea"]

        await adelete_entity(home.name, "default")

        with pytest.raises(UnknownEntityError):
            await recall.arecall("How hot is green tea?")
        with pytest.raises(UnknownEntityError):
            await recall.sessions.astart("How hot is green tea?")
        with pytest.raises(UnknownEntityError, match="deleted since it was opened; open it again"):
            await recall.aadd([tea])
        assert not home.place.holds("default")


@pytest.mark.parametrize("in_use", [True, False])
async def test_a_pool_opens_an_entity_again_that_was_deleted_or_reindexed_elsewhere(
    home: StoreDirectory, monkeypatch: pytest.MonkeyPatch, in_use: bool
) -> None:
    closed, close = list[Recall](), Recall.aclose

    async def noted(recall: Recall) -> None:
        closed.append(recall)
        await close(recall)

    monkeypatch.setattr(Recall, "aclose", noted)
    async with RecallPool(home.name, embedder="hashing") as pool, AsyncExitStack() as users:
        changes: list[Callable[..., Awaitable[object]]]
        changes = [partial(areindex, embedder="hashing"), adelete_entity]
        for change in changes:
            async with pool.recall("ana") as recall:
                await recall.aadd([note("tea", "Green tea steeps at 70 degrees.")])
            if in_use:
                await users.enter_async_context(pool.recall("ana"))
            await change(home.name, "ana")

            async with pool.recall("ana") as again:
                await again.memories.aremember("The mat lies at the door", memory_id="mat")
                assert "mat" in (await again.arecall("Where is the mat?")).ids()
                assert again is not recall
            assert (recall in closed) is not in_use
            await users.aclose()
            assert recall in closed
        assert pool.entities == ["ana"]
    assert len(closed) == len(set(closed)) == 3
