"""The vector of a query: its text, bent by the votes it carries."""

from collections.abc import Iterable

import numpy as np

from secondhop.nodes.services import Services
from secondhop.nodes.state import FeedbackRef, Query, VoteName
from secondhop.ranking.feedback import VoteVectors, refine_query
from secondhop.stores.records import Vector, Vectors


async def query_vector(query: Query, *, services: Services, round_number: int) -> Vector:
    """float32 [dim], unit length."""
    (vector,) = await services.embedder.embed_queries([query["text"]])
    if not query["feedback"]:
        return np.asarray(vector, dtype=np.float32)
    wanted = [passage for ref in query["feedback"] for passage in ref["passage_ids"]]
    found = await services.search.vectors(wanted)
    rounds = [
        votes_of_round([ref for ref in query["feedback"] if ref["round"] == number], found, vector)
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
