"""The vectors of queries: their texts, bent by the votes they carry."""

import asyncio
from collections.abc import Iterable, Sequence

import numpy as np

from secondhop.models.embedding_cache import past_the_cache
from secondhop.nodes.services import Services
from secondhop.nodes.state import FeedbackRef, Query, VoteName
from secondhop.ranking.feedback import VoteVectors, refine_query
from secondhop.stores.records import Vector, Vectors


async def query_vectors(
    queries: Sequence[Query], *, services: Services, round_number: int, cued: bool = False
) -> tuple[Vectors, Vectors]:
    """What to search passages and what to search cues with; the model embeds them together.

    Cues are questions, too: they are compared as texts of one kind, without a query's prefix.

    Args:
        cued: cues are searched.

    Returns:
        (float32 [n_queries, dim], the same or [0, dim] for cues), rows of unit length.
    """
    texts = [query["text"] for query in queries]
    as_queries, as_texts = await asyncio.gather(
        services.embedder.embed_queries(texts),
        # past the cache: it bounds queries and keeps passages, and this is neither
        past_the_cache(services.embedder).embed_passages(texts if cued else []),
    )
    both = [np.array(rows, dtype=np.float32) for rows in (as_queries, as_texts)]
    wanted = [
        passage for query in queries for ref in query["feedback"] for passage in ref["passage_ids"]
    ]
    found = await services.search.vectors(wanted) if wanted else {}
    for place, query in enumerate(queries):
        for rows in both if query["feedback"] else ():
            if len(rows):
                rows[place] = bent(rows[place], query["feedback"], found, round_number=round_number)
    return both[0], both[1]


def bent(
    vector: Vector,
    feedback: Sequence[FeedbackRef],
    found: dict[str, Vector],
    *,
    round_number: int,
) -> Vector:
    """The vector, moved by the votes of each earlier round."""
    rounds = [
        votes_of_round([ref for ref in feedback if ref["round"] == number], found, vector)
        for number in range(1, round_number)
    ]
    return np.asarray(refine_query(vector, rounds), dtype=np.float32)


def votes_of_round(
    refs: Iterable[FeedbackRef], found: dict[str, Vector], like: Vector
) -> VoteVectors:
    """The voted passages' vectors, by vote; vectors that are gone since are left out."""
    rows: dict[VoteName, list[Vector]] = {"hot": [], "warm": [], "cold": [], "wrong": []}
    for ref in refs:
        if ref["vote"] in rows:
            rows[ref["vote"]] += [found[p] for p in ref["passage_ids"] if p in found]
    return VoteVectors(
        hot=stacked(rows["hot"], like),
        warm=stacked(rows["warm"], like),
        cold=stacked(rows["cold"], like),
        wrong=stacked(rows["wrong"], like),
    )


def stacked(rows: list[Vector], like: Vector) -> Vectors:
    """float32 [n, dim], also for no row."""
    return np.stack(rows) if rows else np.zeros((0, len(like)), np.float32)
