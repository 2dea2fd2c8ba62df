"""Searches of one moment share calls, and everybody gets an answer of their own."""

import asyncio
from collections.abc import Sequence

import numpy as np

from secondhop.errors import StoreError
from secondhop.stores.query_batcher import BatchedSearch
from secondhop.stores.records import PassageHit, Vector, Vectors


class CountingSearch:
    """Finds passage "<number>" for a query vector of that number, and notes its calls."""

    def __init__(self) -> None:
        self.dense_calls: list[tuple[int, int]] = []
        self.vector_calls: list[list[str]] = []
        self.broken = False

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        self.dense_calls.append((len(queries), k))
        await asyncio.sleep(0)
        return [[PassageHit(f"{row[0]:g}", "m", 1.0)] * k for row in queries]

    async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
        return [PassageHit(query, "m", 1.0)]

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        self.vector_calls.append(list(passage_ids))
        await asyncio.sleep(0)
        if self.broken:
            raise StoreError("the disk is gone; plug it in")
        return {i: np.array([float(i)], dtype=np.float32) for i in passage_ids if i != "unknown"}


class SearchesTogether(CountingSearch):
    """Takes the words of several queries in one call."""

    def __init__(self) -> None:
        super().__init__()
        self.lexical_calls: list[tuple[list[str], int]] = []

    async def lexical_together(self, queries: Sequence[str], *, k: int) -> list[list[PassageHit]]:
        self.lexical_calls.append((list(queries), k))
        await asyncio.sleep(0)
        return [await self.lexical(query, k=k) for query in queries]


def query(number: float) -> Vectors:
    return np.array([[number]], dtype=np.float32)


async def test_queries_of_one_moment_share_calls_and_keep_their_own_answers() -> None:
    inner = CountingSearch()
    search = BatchedSearch(inner)

    found = await asyncio.gather(*(search.dense(query(n), k=2) for n in range(20)))

    assert [hits[0].passage_id for (hits,) in found] == [str(n) for n in range(20)]
    assert [rows for rows, _ in inner.dense_calls] == [8, 8, 4]


async def test_words_of_one_moment_share_calls_of_a_store_that_can() -> None:
    inner = SearchesTogether()
    search = BatchedSearch(inner)

    found = await asyncio.gather(*(search.lexical(f"w{n % 20}", k=1) for n in range(40)))
    deeper = await search.lexical("w1", k=2)

    assert [hits[0].passage_id for hits in found] == [f"w{n % 20}" for n in range(40)]
    assert [(len(asked), k) for asked, k in inner.lexical_calls] == [
        (16, 1),
        (16, 1),
        (8, 1),
        (1, 2),
    ]
    assert deeper == [PassageHit("w1", "m", 1.0)]


async def test_a_vector_that_many_want_is_fetched_once() -> None:
    inner = CountingSearch()
    search = BatchedSearch(inner)

    one, other = await asyncio.gather(
        search.vectors(["1", "2"]), search.vectors(["2", "3", "unknown"])
    )

    assert inner.vector_calls == [["1", "2", "3", "unknown"]]
    assert (list(one), list(other)) == (["1", "2"], ["2", "3"])


async def test_who_leaves_does_not_take_the_answer_from_the_others() -> None:
    search = BatchedSearch(CountingSearch())
    leaving = asyncio.ensure_future(search.vectors(["1"]))
    staying = asyncio.ensure_future(search.vectors(["1", "2"]))
    await asyncio.sleep(0)

    leaving.cancel()

    assert set(await staying) == {"1", "2"}
    assert leaving.cancelled()


async def test_an_error_reaches_every_caller_and_the_next_call_starts_anew() -> None:
    inner = CountingSearch()
    search = BatchedSearch(inner)
    inner.broken = True

    failed = await asyncio.gather(
        search.vectors(["1"]), search.vectors(["2"]), return_exceptions=True
    )
    inner.broken = False

    assert all(isinstance(error, StoreError) for error in failed)
    assert set(await search.vectors(["1"])) == {"1"}


def test_every_event_loop_has_calls_of_its_own() -> None:
    search = BatchedSearch(CountingSearch())

    first = asyncio.run(search.vectors(["1"]))
    second = asyncio.run(search.vectors(["1"]))

    assert set(first) == set(second) == {"1"}
