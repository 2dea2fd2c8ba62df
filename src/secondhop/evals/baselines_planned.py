"""Several queries a question, and the usual ways to make one ranking of what they find.

The queries are those of a plan: what a diversification brings shows only beside others that were
given the same queries.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import TypeAlias, TypeVar

from secondhop.evals.baselines import memory_ids, nearest_memories, question_vector
from secondhop.models.embedder import Embedder
from secondhop.ranking.fusion import reciprocal_rank_fusion
from secondhop.stores.protocols import MemorySearch

T = TypeVar("T")

FacetQueries: TypeAlias = Sequence[Sequence[str]]
"""The queries of every facet, the question itself as the first facet."""

PLANNED = ("pooled", "in turn")
"""In the order of a report."""


async def planned_ranking(
    name: str, facets: FacetQueries, *, k: int, search: MemorySearch, embedder: Embedder
) -> list[str]:
    """At most k memory ids, best first, by dense search with every query.

    "pooled": reciprocal rank fusion (k = 60) of all queries, whatever their facet.
    "in turn": fusion within a facet; then the facets take turns, each with its best that is not
    taken yet.

    Raises:
        KeyError: another name.
    """
    fused = {"pooled": pooled, "in turn": in_turn}[name]
    rankings = await asyncio.gather(
        *(found_by(queries, k=k, search=search, embedder=embedder) for queries in facets)
    )
    return fused(rankings)[:k]


async def found_by(
    queries: Sequence[str], *, k: int, search: MemorySearch, embedder: Embedder
) -> list[list[str]]:
    """The dense ranking of each query, in memory ids."""
    vectors = [await question_vector(query, embedder=embedder) for query in queries]
    found = await asyncio.gather(*(nearest_memories(v, k=k, search=search) for v in vectors))
    return [memory_ids(hits) for hits in found]


def pooled(facets: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    """One fusion of the rankings of all queries.

    >>> pooled([[["a", "b"]], [["b", "c"], ["c", "b"]]])
    ['b', 'c', 'a']
    """
    rankings = [ranking for rankings in facets for ranking in rankings]
    return [memory_id for memory_id, _ in reciprocal_rank_fusion(rankings)] if rankings else []


def in_turn(facets: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    """A fusion a facet; then one memory a facet, and again.

    >>> in_turn([[["a", "b"]], [["a", "c"], ["c", "b"]]])
    ['a', 'c', 'b']
    """
    return list(dict.fromkeys(turns([pooled([rankings]) for rankings in facets])))


def queries_in_turn(facets: FacetQueries) -> list[str]:
    """The queries as one list: the first of every facet, then the second ones, each text once.

    >>> queries_in_turn([["question"], ["a", "b"], ["c"]])
    ['question', 'a', 'c', 'b']
    """
    return list(dict.fromkeys(turns(facets)))


def turns(rows: Sequence[Sequence[T]]) -> Iterator[T]:
    """The first of every row, then the second, …; rows that have ended are passed over."""
    for column in range(max(map(len, rows), default=0)):
        yield from (row[column] for row in rows if column < len(row))
