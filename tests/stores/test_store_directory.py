"""The folder of a store: what is created when, which file is whose, and changing the model."""

import asyncio
import json
import shutil
import sqlite3
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.nobody import folder_for_everyone, without_rights

from secondhop.errors import (
    CorruptStoreError,
    EmbedderMismatchError,
    SchemaVersionError,
    StoreError,
    StoreUnavailableError,
    UsageError,
)
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import WriterLock
from secondhop.stores.store_directory import StoreDirectory

WEIRD = ["../x", "a/b", "a b", "A B", "Ä", "A\u0308", "🙂", "nul\0", ".", "x" * 512]


@asynccontextmanager
async def entity(
    home: StoreDirectory, name: str = "me", *, embedder: str = "hash-16", dimension: int = 16
) -> AsyncGenerator[EntityStore, None]:
    store = await home.open_entity(name, embedder_id=embedder, dimension=dimension)
    async with aclosing(store):
        yield store


def contents(folder: Path) -> dict[str, object]:
    """{file: its bytes}; for Chroma's database its rows, because Chroma counts its starts in it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path): rows(path) if path.name == "chroma.sqlite3" else path.read_bytes()
        for path in files
    }


def rows(database: Path) -> dict[str, list[object]]:
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {name for (name,) in tables} - {"acquire_write"}
        return {
            name: connection.execute(f"SELECT * FROM {name}").fetchall()
            for name in sorted(names)
            if not name.startswith("embedding_fulltext")
        }


async def test_reading_an_unknown_entity_creates_nothing(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    async with entity(home, "nobody") as store:
        assert (await store.counts()).memories == 0
        assert await store.dense(make.vectors("x"), k=3) == [[]]
        assert (await store.lexical(["x"], k=3))[0] == []
        assert await store.topics() == []
        assert await store.delete(["x"]) == 0
    assert home.entities() == []
    assert not home.path.exists()


async def test_reads_leave_every_byte_as_it_was(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    texts = [f"text number {n}" for n in range(70)]
    async with entity(home) as store:
        await store.put([make.memory(text, text) for text in texts])
    await home.aclose()
    before = contents(home.path)
    for _ in range(2):
        again = StoreDirectory(home.path)
        async with aclosing(again), entity(again) as store:
            found = await store.dense(make.vectors(*texts), k=5)
            assert [hits[0].memory_id for hits in found] == texts
            await store.vectors([hit.passage_id for hits in found for hit in hits])
            (await store.lexical(["number 7"], k=5))[0]
            await store.topics()
            await store.counts()
    assert contents(home.path) == before


async def test_weird_names_are_safe_and_separate(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    for name in WEIRD:
        async with entity(home, name) as store:
            await store.put([make.memory("m", "the same text", title=name[:5])])
    assert home.entities() == sorted(WEIRD)
    for name in WEIRD:
        async with entity(home, name) as store:
            counts = await store.counts()
            assert (counts.memories, counts.vectors) == (1, 1)
            assert (await store.cards(["m"]))["m"].title == name[:5]
    assert len(list((home.path / "entities").iterdir())) == len({*map(entity_slug, WEIRD)})
    assert {path.name for path in home.path.parent.iterdir()} == {home.path.name}


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_is_no_place_for_a_store(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError, match="file is a file; name a folder"):
        StoreDirectory(tmp_path / place)


@pytest.mark.parametrize(
    ("name", "why"),
    [("", "1 to 512"), ("x" * 513, "1 to 512"), ("m\udce9", "half of a character")],
)
async def test_names_that_cannot_be_are_refused(home: StoreDirectory, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        await home.open_entity(name, embedder_id="hash-16", dimension=16)


@pytest.mark.parametrize("name", ["me", "another, new entity"])
async def test_another_embedder_is_refused(
    home: StoreDirectory, make: SimpleNamespace, name: str
) -> None:
    async with entity(home) as store:
        await store.put([make.memory("m", "text")])
    with pytest.raises(EmbedderMismatchError, match="reindex"):
        await home.open_entity(name, embedder_id="other", dimension=16)
    with pytest.raises(EmbedderMismatchError):
        await home.open_entity(name, embedder_id="hash-16", dimension=8)


async def test_a_newer_manifest_or_catalog_is_refused_and_not_changed(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    async with entity(home) as store:
        await store.put([make.memory("m", "text")])
    (catalog,) = home.path.glob("entities/*/catalog.db")
    with closing(sqlite3.connect(catalog)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = catalog.read_bytes()
    with pytest.raises(SchemaVersionError) as caught:
        await home.open_entity("me", embedder_id="hash-16", dimension=16)
    assert (caught.value.found, catalog.read_bytes()) == (99, before)
    manifest = home.path / "store.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format_version": 7}))
    with pytest.raises(SchemaVersionError):
        await home.open_entity("new", embedder_id="hash-16", dimension=16)


async def test_a_second_writer_waits_and_then_gets_a_clear_error(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    async with entity(home) as store:
        await store.put([make.memory("m", "text")])
        (lock,) = home.path.glob("locks/*.writer")
        store.lock_timeout_s = 0.05
        held = WriterLock(lock)  # as another process would hold it
        release = held.try_acquire()
        assert release
        with pytest.raises(StoreError, match="another one, has been writing"):
            await store.put([make.memory("n", "text")])
        assert await store.memory("m")
        async with entity(home) as reader:
            assert (await reader.counts()).memories == 1
        release()
        await store.put([make.memory("n", "text")])


async def test_a_cancelled_put_is_finished_before_the_next(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    async with entity(home) as store:
        await store.put([make.memory("first", "text")])
        for delay in (0.0, 0.005, 0.02):
            put = asyncio.create_task(store.put([make.memory(f"m{delay}", "a", "b")]))
            await asyncio.sleep(delay)
            put.cancel()
            await asyncio.gather(put, return_exceptions=True)
            counts = await store.counts()
            assert (counts.passages, counts.pending) == (counts.vectors, 0)


def spoil_database(chroma: Path) -> None:
    (chroma / "chroma.sqlite3").write_bytes(b"garbage" * 5_000)


def spoil_inside(chroma: Path) -> None:
    with (chroma / "chroma.sqlite3").open("r+b") as file:
        file.seek(4096)
        file.write(b"garbage" * 9_000)


def spoil_segment(chroma: Path) -> None:
    next(chroma.glob("*/data_level0.bin")).write_bytes(b"garbage" * 500)


@pytest.mark.parametrize("damage", [spoil_database, spoil_segment])
async def test_a_damaged_entity_can_be_deleted(
    home: StoreDirectory, make: SimpleNamespace, damage: Callable[[Path], None]
) -> None:
    async with entity(home) as store:
        await store.put([make.memory(f"m{n}", f"text {n}") for n in range(60)])
    await home.aclose()
    damage(home.path / "chroma")
    async with aclosing(StoreDirectory(home.path)) as again:
        assert await again.delete_entity("me")
        assert again.entities() == []
    assert not list((home.path / "entities").iterdir())


async def test_a_server_that_is_not_there_is_a_clear_error(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    async with (
        aclosing(StoreDirectory(tmp_path / "store", chroma_url="http://127.0.0.1:9")) as home,
        entity(home) as store,
    ):
        with pytest.raises(StoreError, match="does not answer"):
            await store.put([make.memory("m", "text")])
        assert (await store.lexical(["text"], k=3))[0] == []
        assert (await asyncio.to_thread(home.entities)) == ["me"]


async def test_a_proxy_without_its_chroma_server_is_a_clear_error(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    class BadGateway(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(502)

        do_POST = do_GET

    with ThreadingHTTPServer(("127.0.0.1", 0), BadGateway) as proxy:
        threading.Thread(target=proxy.serve_forever).start()
        url = f"http://127.0.0.1:{proxy.server_address[1]}"
        try:
            async with (
                aclosing(StoreDirectory(tmp_path / "store", chroma_url=url)) as home,
                entity(home) as store,
            ):
                with pytest.raises(StoreUnavailableError, match="does not answer like Chroma"):
                    await store.put([make.memory("m", "text")])
        finally:
            proxy.shutdown()


async def test_without_its_manifest_a_store_is_reindexed_and_whole_again(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    async with entity(home) as store:
        await store.put([make.memory("m", "text")])
    await home.aclose()
    (home.path / "store.json").unlink()
    async with aclosing(StoreDirectory(home.path)) as again:
        with pytest.raises(CorruptStoreError, match=r"1 of 1 .* missing.*secondhop reindex"):
            await again.open_entity("me", embedder_id="hash-16", dimension=16)
        async with again.reindexing("me", embedder_id="hash-16", dimension=16) as job:
            async for ((_, (passage,)),) in job.catalog.pages():
                await job.new.passages.upsert([passage.passage_id], make.vectors("text"))
            await job.finish()
        async with entity(again) as store:
            assert [hit.memory_id for hit in (await store.dense(make.vectors("text"), k=3))[0]] == [
                "m"
            ]


async def test_a_damaged_manifest_says_what_to_do(home: StoreDirectory) -> None:
    home.path.mkdir()
    (home.path / "store.json").write_bytes(b"{")
    with pytest.raises(CorruptStoreError, match=r"delete it and run .*reindex --store"):
        await home.open_entity("a", embedder_id="hash-16", dimension=16)


@pytest.mark.slow
class TestReindex:
    async def fill(self, home: StoreDirectory, make: SimpleNamespace) -> None:
        async with entity(home) as store:
            await store.put([make.memory(f"m{n}", f"text {n}", "more") for n in range(70)])

    async def rebuild(self, home: StoreDirectory, *, dimension: int, embedder: str) -> int:
        async with home.reindexing("me", embedder_id=embedder, dimension=dimension) as job:
            done = 0
            async for page in job.catalog.pages():
                passages = [passage for _, own in page for passage in own]
                rows = np.eye(dimension, dtype=np.float32)[[one.ordinal for one in passages]]
                await job.new.passages.upsert([one.passage_id for one in passages], rows)
                done += len(passages)
            await job.finish()
        return done

    async def test_moves_an_entity_to_another_model(
        self, home: StoreDirectory, make: SimpleNamespace
    ) -> None:
        await self.fill(home, make)
        async with entity(home) as old:
            assert await self.rebuild(home, dimension=8, embedder="new-8") == 140
            with pytest.raises(StoreError, match="open it again"):
                await old.put([make.memory("late", "text")])
            with pytest.raises(StoreError, match="open it again"):
                await old.dense(make.vectors("text 3"), k=3)
        async with entity(home, embedder="new-8", dimension=8) as store:
            counts = await store.counts()
            assert (counts.vectors, counts.embedder) == (140, "new-8")
            assert len((await store.dense(np.eye(8, dtype=np.float32)[:1], k=70))[0]) == 70
        with pytest.raises(EmbedderMismatchError):
            await home.open_entity("me", embedder_id="hash-16", dimension=16)
        async with entity(home, "new entity", embedder="new-8", dimension=8):
            pass

    async def test_one_that_is_not_finished_changes_nothing(
        self, home: StoreDirectory, make: SimpleNamespace
    ) -> None:
        await self.fill(home, make)
        async with home.reindexing("me", embedder_id="new-8", dimension=8) as job:
            await job.new.passages.upsert(["m0:x:0"], np.eye(8, dtype=np.float32)[:1])
            with pytest.raises(StoreError, match="no new vector"):
                await job.finish()
        async with entity(home) as store:
            assert (await store.dense(make.vectors("text 3"), k=1))[0][0].memory_id == "m3"
        assert await self.rebuild(home, dimension=8, embedder="new-8") == 140

    @pytest.mark.parametrize("damage", [spoil_inside, spoil_segment, shutil.rmtree])
    async def test_repairs_a_store_whose_vectors_are_damaged(
        self, home: StoreDirectory, make: SimpleNamespace, damage: Callable[[Path], None]
    ) -> None:
        await self.fill(home, make)
        await home.aclose()
        damage(home.path / "chroma")
        again = StoreDirectory(home.path)
        async with aclosing(again):
            with pytest.raises(CorruptStoreError, match="secondhop reindex"):
                await again.open_entity("me", embedder_id="hash-16", dimension=16)
            assert await self.rebuild(again, dimension=16, embedder="hash-16") == 140
            async with entity(again) as store:
                counts = await store.counts()
                assert (counts.memories, counts.vectors) == (70, 140)
        assert not list(home.path.glob("*damaged*"))
        assert len(rows(home.path / "chroma" / "chroma.sqlite3")["collections"]) == 1


async def test_a_folder_that_nothing_may_be_written_to_is_told_with_what_to_do(
    make: SimpleNamespace,
) -> None:
    with folder_for_everyone() as folder:
        folder.chmod(0o555)
        home = StoreDirectory(folder / "store")
        store = await home.open_entity("me", embedder_id="hash-16", dimension=16)
        async with aclosing(store), aclosing(home):
            with without_rights(), pytest.raises(StoreError, match="make the folder around it"):
                await store.put([make.memory("a", "apple")])


def test_without_psycopg_a_database_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in [name for name in sys.modules if name.startswith("secondhop.stores.postgres.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UsageError, match=r"\[postgres\]"):
        StoreDirectory("postgresql://localhost/memories")


@pytest.mark.parametrize("store", ["~/memory", Path("~/memory")])
def test_a_store_in_the_home_folder_may_be_written_with_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str | Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert StoreDirectory(store).path == tmp_path / "memory"
