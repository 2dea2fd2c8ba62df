"""The lexical retriever: what a score means, and that the index follows the stored text."""

import math
import sqlite3
from collections.abc import Awaitable
from contextlib import aclosing, closing
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stores.consistency import wrong_postings

from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.lexicon import K1, B
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import WriterLock
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.vectors.memory_index import MemoryIndex


@pytest.fixture
def store(own_store: EntityStore) -> EntityStore:
    return own_store


async def scores(store: EntityStore, query: str) -> dict[str, float]:
    return {hit.memory_id: hit.score for hit in (await store.lexical([query], k=100))[0]}


async def test_an_unknown_joined_identifier_does_not_spoil_its_parts(
    store: EntityStore, make: SimpleNamespace
) -> None:
    await store.put([make.memory("a", "the user name"), make.memory("b", "something else")])
    assert await scores(store, "userName") == await scores(store, "user name")


async def test_equal_scores_come_by_smaller_passage_id(
    store: EntityStore, make: SimpleNamespace
) -> None:
    await store.put([make.memory(f"m{n}", "the same words") for n in range(9)])
    hits = (await store.lexical(["words"], k=4))[0]
    every = (await store.lexical(["words"], k=100))[0]
    assert hits == every[:4] == sorted(every, key=lambda hit: hit.passage_id)[:4]


async def test_a_long_query_counts_as_its_rarest_words(
    store: EntityStore, make: SimpleNamespace
) -> None:
    await store.put([make.memory(f"m{n}", f"common{n % 40} rare{n}") for n in range(400)])
    noise = " ".join(f"unknown{n}" for n in range(3_000))
    common = " ".join(f"common{n}" for n in range(40))
    found = (await store.lexical([f"{noise} {common} rare77"], k=1))[0]
    assert found[0].memory_id == "m77"


def plain_bm25(documents: dict[str, list[str]], query: list[str]) -> dict[str, float]:
    """BM25 straight from its definition; every title is "x", which adds one word to the length."""
    average = sum(len(words) + 1 for words in documents.values()) / len(documents)
    known: dict[str, float] = {}
    bound = 0.0
    for term in dict.fromkeys(query):
        holding = sum(term in words for words in documents.values())
        idf = math.log1p((len(documents) - holding + 0.5) / (holding + 0.5))
        bound += idf * (K1 + 1)
        for name, words in documents.items():
            if frequency := words.count(term):
                relative = (len(words) + 1) / average
                held_back = K1 * (1 - B + B * relative)
                gain = frequency * (K1 + 1) / (frequency + held_back)
                known[name] = known.get(name, 0.0) + idf * gain
    return {name: gained / bound for name, gained in known.items()}


WORDS = st.lists(st.sampled_from(["w1", "w2", "w3", "w4", "w5"]), min_size=1, max_size=6)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(
    versions=st.lists(st.tuples(st.integers(0, 4), WORDS), min_size=1, max_size=12),
    deleted=st.sets(st.integers(0, 4)),
    query=WORDS,
)
async def test_after_any_writes_scores_are_those_of_the_definition(
    tmp_path_factory: pytest.TempPathFactory,
    make: SimpleNamespace,
    versions: list[tuple[int, list[str]]],
    deleted: set[int],
    query: list[str],
) -> None:
    folder = tmp_path_factory.mktemp("lexicon")
    identity = Identity(entity="me", embedder_id=make.embedder, dimension=make.dimension)
    catalog = Catalog(folder / "catalog.db")
    store = EntityStore(
        catalog,
        MemoryIndex(),
        identity=identity,
        lock=WriterLock(folder / "writer"),
        cue_index=MemoryIndex(),
    )
    async with aclosing(store):
        for number, words in versions:
            await store.put([make.memory(f"m{number}", " ".join(words), title="x")])
        await store.delete([f"m{number}" for number in deleted])
        stored = {f"m{n}": words for n, words in versions if n not in deleted}
        wanted = plain_bm25(stored, query) if stored else {}
        assert await scores(store, " ".join(query)) == pytest.approx(wanted)
        assert wrong_postings(catalog) == []


async def test_words_of_an_older_analyzer_are_made_again_when_the_entity_is_opened(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    def opening() -> Awaitable[EntityStore]:
        return home.open_entity("me", embedder_id="hash-16", dimension=16)

    async with aclosing(await opening()) as store:
        await store.put([make.memory("a", "appendonly OKRs at CareFeed")])
        expected = (await store.lexical(["OKRs at CareFeed"], k=3))[0]
    (path,) = home.path.glob("entities/*/catalog.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = '1+snowball' WHERE key = 'analyzer'")
        connection.execute("UPDATE postings SET term = term || 's'")

    async with aclosing(await opening()) as store:
        assert (await store.lexical(["OKRs at CareFeed"], k=3))[0] == expected
