"""The folder has Chroma's own format: `chromadb` reads what we write, and the reverse."""

import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from secondhop.stores.records import Vectors
from secondhop.stores.vectors.chroma_bindings import FolderDatabase
from secondhop.stores.vectors.chroma_client import HNSW
from secondhop.stores.vectors.chroma_folder import ChromaFolder

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

IDS = [f"p{n:03}" for n in range(130)]
"""More ids than Chroma keeps only in its log."""


def rows() -> Vectors:
    drawn = np.random.default_rng(3).normal(size=(len(IDS), 16)).astype(np.float32)
    unit: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


@contextmanager
def chromadb_client(folder: Path) -> "Generator[ClientAPI, None, None]":
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    client = chromadb.PersistentClient(folder, Settings(anonymized_telemetry=False))
    try:
        yield client
    finally:
        SharedSystemClient.clear_system_cache()


def ours(folder: Path) -> "closing[FolderDatabase]":
    return closing(FolderDatabase(folder, open_indexes=64))


def hnsw() -> dict[str, Any]:
    return dict(HNSW)


def configuration() -> Any:
    return {"hnsw": hnsw()}


def test_chromadb_reads_and_changes_what_we_wrote(tmp_path: Path) -> None:
    with ours(tmp_path) as database:
        collection = database.created("me.1", hnsw=hnsw())
        collection.upsert(IDS, rows())
        collection.delete(["p003"])
        database.created("me.2", hnsw=hnsw()).rename("me.3")

    with chromadb_client(tmp_path) as client:
        read = client.get_collection("me.1", embedding_function=None)
        assert {found.name for found in client.list_collections()} == {"me.1", "me.3"}
        assert set(read.get()["ids"]) == {*IDS} - {"p003"}
        nearest = read.query(query_embeddings=rows()[7], n_results=2)
        assert nearest["ids"][0][0] == "p007"
        stored = read.get(ids=["p007"], include=["embeddings"])["embeddings"]
        np.testing.assert_array_equal(np.asarray(stored), rows()[7:8])
        read.delete(ids=["p007"])
        read.upsert(ids=["new"], embeddings=-rows()[7:8])

    with ours(tmp_path) as database:
        collection = database.collection("me.1")
        assert set(collection.ids()) == {*IDS, "new"} - {"p003", "p007"}
        assert collection.nearest(-rows()[7:8], k=1)[0][0][0] == "new"


def test_we_read_what_chromadb_wrote_and_find_the_same(tmp_path: Path) -> None:
    with chromadb_client(tmp_path) as client:
        made = client.create_collection(
            "me.1", configuration=configuration(), embedding_function=None
        )
        made.upsert(ids=IDS, embeddings=rows())
        expected = made.query(query_embeddings=rows()[:5], n_results=9, include=["distances"])

    with ours(tmp_path) as database:
        collection = database.collection("me.1")
        assert collection.count() == len(IDS)
        found = collection.nearest(rows()[:5], k=9)
        assert [ids for ids, _ in found] == expected["ids"]
        assert [distances for _, distances in found] == expected["distances"]
        kept = collection.vectors(["p005", "p001", "none"])
        assert kept.keys() == {"p005", "p001"}
        np.testing.assert_array_equal(kept["p005"], rows()[5])


def test_a_collection_is_made_as_chromadb_makes_it(tmp_path: Path) -> None:
    with chromadb_client(tmp_path) as client:
        client.create_collection("theirs", configuration=configuration(), embedding_function=None)
    with ours(tmp_path) as database:
        database.created("ours", hnsw=hnsw())

    with closing(sqlite3.connect(tmp_path / "chroma.sqlite3")) as connection:
        made = dict(connection.execute("SELECT name, schema_str FROM collections"))
    assert json.loads(made["ours"]) == json.loads(made["theirs"])


def test_a_collection_is_loaded_without_reading_the_log_of_all(tmp_path: Path) -> None:
    for _ in range(2):  # an older folder gets the index too
        client = ChromaFolder(tmp_path / "chroma", locks=tmp_path / "locks")
        with client.writing("one") as session:
            session.created("one").upsert(IDS, rows())
        client.close()
        with closing(sqlite3.connect(tmp_path / "chroma" / "chroma.sqlite3")) as database:
            sql = "SELECT * FROM embeddings_queue WHERE topic = 'x' AND seq_id > 1 ORDER BY seq_id"
            (plan,) = database.execute(f"EXPLAIN QUERY PLAN {sql}")
            assert "USING INDEX secondhop_log" in plan[3]
            database.execute("DROP INDEX secondhop_log")
    with chromadb_client(tmp_path / "chroma") as chroma:
        assert chroma.get_collection("one").count() == len(IDS)
