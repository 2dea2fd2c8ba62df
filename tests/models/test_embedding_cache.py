import asyncio
import logging
import sqlite3
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from secondhop.models import embedding_cache
from secondhop.models.embedder import Vectors
from secondhop.models.embedding_cache import CachingEmbedder, text_digest
from secondhop.models.hashing import HashingEmbedder


class CountingEmbedder:
    """A hashing embedder that records every call and can fail."""

    def __init__(self, model_id: str = "counting") -> None:
        self._hashing = HashingEmbedder(16)
        self.model_id = model_id
        self.dimension = 16
        self.passage_calls: list[list[str]] = []
        self.query_calls: list[list[str]] = []
        self.failure: Exception | None = None

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.passage_calls.append(list(texts))
        return await self._answer(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.query_calls.append(list(texts))
        return await self._answer(texts)

    async def _answer(self, texts: Sequence[str]) -> Vectors:
        if self.failure is not None:
            raise self.failure
        return await self._hashing.embed_passages(texts)


@pytest.fixture
def counting() -> CountingEmbedder:
    return CountingEmbedder()


class Caches:
    """Opens caches on one file and closes them all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: list[CachingEmbedder] = []

    def open(self, inner: CountingEmbedder) -> CachingEmbedder:
        self._opened.append(CachingEmbedder(inner, self.path))
        return self._opened[-1]

    def close(self) -> None:
        for cache in self._opened:
            cache.close()


@pytest.fixture
def caches(tmp_path: Path) -> Generator[Caches]:
    opened = Caches(tmp_path / "made" / "lazily" / "embeddings.db")
    yield opened
    opened.close()


async def test_a_text_is_embedded_once_also_across_restarts(caches: Caches) -> None:
    first, second = CountingEmbedder(), CountingEmbedder()
    assert not caches.path.parent.exists()
    rows = await caches.open(first).embed_passages(["a", "b", "a"])
    again = await caches.open(second).embed_passages(["b", "c", "a"])
    assert first.passage_calls == [["a", "b"]]
    assert second.passage_calls == [["c"]]
    assert np.array_equal(rows[0], rows[2])
    assert np.array_equal(again, await CountingEmbedder().embed_passages(["b", "c", "a"]))
    assert again.dtype == np.float32


async def test_queries_passages_and_models_never_answer_for_each_other(caches: Caches) -> None:
    inner, other = CountingEmbedder(), CountingEmbedder("another model")
    cache = caches.open(inner)
    await cache.embed_passages(["a"])
    await cache.embed_queries(["a"])
    await cache.embed_queries(["a"])
    await caches.open(other).embed_passages(["a"])
    assert (inner.passage_calls, inner.query_calls) == ([["a"]], [["a"]])
    assert other.passage_calls == [["a"]]


async def test_questions_of_an_entity_stay_in_memory_and_its_passages_on_disk(
    tmp_path: Path,
) -> None:
    path, inner = tmp_path / "cache.db", CountingEmbedder()
    questions = [f"question {number}" for number in range(embedding_cache.QUESTIONS_KEPT + 1)]
    with closing(CachingEmbedder(inner, path, of_entity=True)) as cache:
        await cache.embed_passages(["a note"])
        for question in questions:
            await cache.embed_queries([question])
        await cache.embed_queries(questions[1:])  # all cached: only the oldest was dropped
        assert inner.query_calls == [[one] for one in questions]
        await cache.embed_requests(["the same, held against cues"])
    with closing(sqlite3.connect(path)) as connection:
        kinds = connection.execute("SELECT kind, count(*) FROM vectors GROUP BY kind").fetchall()
    assert kinds == [("passage", 1)]


async def test_a_file_that_kept_questions_of_an_entity_loses_them(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with closing(CachingEmbedder(CountingEmbedder(), path)) as earlier:
        await earlier.embed_queries(["asked once"])
        await earlier.embed_passages(["a note"])
    with closing(CachingEmbedder(CountingEmbedder(), path, of_entity=True)) as cache:
        await cache.embed_passages(["a note"])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT kind FROM vectors").fetchall() == [("passage",)]


async def test_questions_are_forgotten_with_a_text(tmp_path: Path) -> None:
    inner = CountingEmbedder()
    with closing(CachingEmbedder(inner, tmp_path / "cache.db", of_entity=True)) as cache:
        await cache.embed_queries(["asked once"])
        await cache.keep_passages(set())
        await cache.embed_queries(["asked once"])
    assert inner.query_calls == [["asked once"], ["asked once"]]


async def test_a_file_of_version_0_1_is_read(tmp_path: Path) -> None:
    path, inner = tmp_path / "cache.db", CountingEmbedder()
    row = (await CountingEmbedder().embed_queries(["old"]))[0]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE vectors (text_sha BLOB NOT NULL, model_id TEXT NOT NULL,"
            " kind TEXT NOT NULL, vector BLOB NOT NULL,"
            " PRIMARY KEY (text_sha, model_id, kind)) WITHOUT ROWID"
        )
        old = (text_digest("old"), inner.model_id, "query", row.tobytes())
        connection.execute("INSERT INTO vectors VALUES (?, ?, ?, ?)", old)
        connection.commit()
    with closing(CachingEmbedder(inner, path)) as cache:
        assert np.array_equal(await cache.embed_queries(["old"]), [row])
        await cache.embed_queries(["new", "old"])
    assert inner.query_calls == [["new"]]


def bytes_in(folder: Path) -> bytes:
    """The content of all files in a folder."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_deleted_texts_are_gone_from_the_file_for_every_model(tmp_path: Path) -> None:
    path, inner = tmp_path / "cache.db", CountingEmbedder()
    held = {text_digest("kept")}
    with (
        closing(CachingEmbedder(inner, path, of_entity=True)) as cache,
        closing(CachingEmbedder(CountingEmbedder("another model"), path, of_entity=True)) as other,
    ):
        rows = await cache.embed_passages(["secret", "kept"])
        await other.embed_passages(["secret"])
        await cache.keep_passages(held)
        await cache.embed_passages(["secret", "kept"])
        assert inner.passage_calls == [["secret", "kept"], ["secret"]]
        await cache.keep_passages(held)
    left = bytes_in(tmp_path)
    assert rows[0].tobytes() not in left
    assert rows[1].tobytes() in left


@pytest.mark.parametrize("damage", ["not a database", "torn pages", "empty", "cut"])
async def test_a_damaged_file_is_begun_again(
    caches: Caches, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder, texts = caches.path.parent, [f"text {number}" for number in range(300)]
    await caches.open(CountingEmbedder()).embed_passages(texts)
    caches.close()
    content = caches.path.read_bytes()
    caches.path.write_bytes(
        {
            "not a database": b"hello, I am not a database at all" * 100,
            "torn pages": content[:4096] + b"\xff" * (len(content) - 4096),
            "empty": b"",
            "cut": content[:5000],
        }[damage]
    )
    inner = CountingEmbedder()
    cache = caches.open(inner)
    rows = await cache.embed_passages(texts)
    assert np.array_equal(rows, await CountingEmbedder().embed_passages(texts))
    await cache.embed_passages(texts)
    assert inner.passage_calls == [texts]
    assert ("is damaged" in caplog.text) == (damage != "empty")
    names = {path.name.removesuffix("-wal").removesuffix("-shm") for path in folder.iterdir()}
    assert names == {caches.path.name}  # a copy would leave readable vectors behind


async def test_a_place_that_cannot_be_written_costs_one_warning_and_no_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = CachingEmbedder(CountingEmbedder(), tmp_path / "file" / "cache.db")
    with caplog.at_level(logging.WARNING):
        for text in "abc":
            assert (await cache.embed_passages([text])).shape == (1, 16)
    assert len(caplog.records) == 1
    assert "is not used" in caplog.text


async def test_a_query_that_is_under_way_is_not_embedded_again(caches: Caches) -> None:
    inner = CountingEmbedder()
    cache = caches.open(inner)
    first, second = await asyncio.gather(
        cache.embed_queries(["a", "b"]), cache.embed_queries(["b", "c"])
    )
    assert inner.query_calls == [["a", "b"], ["c"]]
    alone = CountingEmbedder()
    assert np.array_equal(first, await alone.embed_queries(["a", "b"]))
    assert np.array_equal(second, await alone.embed_queries(["b", "c"]))


async def test_a_caller_that_leaves_takes_no_vector_from_the_others(caches: Caches) -> None:
    cache = caches.open(CountingEmbedder())
    leaves, stays = (asyncio.create_task(cache.embed_queries(["a"])) for _ in range(2))
    await asyncio.sleep(0)
    leaves.cancel()
    assert (await stays).shape == (1, 16)
    assert leaves.cancelled()


WRITER = """
import asyncio, sys
from pathlib import Path
from secondhop.errors import ModelError
from secondhop.models.embedder import Vectors
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.models.hashing import HashingEmbedder
cache = CachingEmbedder(HashingEmbedder(16), Path(sys.argv[1]))
async def main():
    for number in range(200):
        await cache.embed_passages([f"{sys.argv[2]} {number}"])
asyncio.run(main())
"""


@pytest.mark.slow
def test_several_processes_write_one_cache_and_lose_nothing(caches: Caches) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(caches.path), name], stderr=subprocess.PIPE
        )
        for name in ("a", "b", "c")
    ]
    for writer in writers:
        _, told = writer.communicate(timeout=60)
        assert (writer.returncode, told) == (0, b"")
    with sqlite3.connect(caches.path) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (600,)
    connection.close()
