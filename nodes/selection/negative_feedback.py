"""Lowers memories that say the same as a memory that was voted down."""

from collections.abc import Mapping, Sequence

import numpy as np

from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.relevance import is_outside
from secondhop.nodes.state import Vote
from secondhop.ranking.arrays import Floats, Vectors
from secondhop.ranking.feedback import cold_penalty
from secondhop.ranking.votes import AGAINST, EFFECTS, IN_FAVOUR


def not_like_the_refused(pool: Pool, votes: Mapping[str, Vote]) -> Floats:
    """[n_candidates, n_facets] factors; 1 in facets without a vote against a memory.

    Only votes of people and agents count, and only facets without a vote in favour. If there is
    one, the query vector itself moves away (`refine_query`), and lowering twice would be too much.
    """
    factors = np.ones((len(pool.ids), len(pool.facet_ids)))
    rows = pool.rows
    said = [vote for vote in votes.values() if is_outside(vote) and vote["memory_id"] in rows]
    for column, refused in refused_by_facet(said, rows, pool).items():
        for name in AGAINST:
            against = [rows[vote["memory_id"]] for vote in refused if vote["vote"] == name]
            passages = [one for row in against for one in pool.evidence.passages[row]]
            vectors = pool.evidence.vectors[np.array(passages, dtype=np.intp)]
            factors[:, column] *= 1 + EFFECTS[name].pull * similarity(pool, vectors)
    return factors


def refused_by_facet(
    votes: Sequence[Vote], rows: Mapping[str, int], pool: Pool
) -> dict[int, list[Vote]]:
    """{column of a facet: votes on the memories that it serves best}, without facets that have a
    vote in favour."""
    by_facet: dict[int, list[Vote]] = {}
    for vote in votes:
        relevance = pool.relevance[rows[vote["memory_id"]]]
        if relevance.max(initial=0.0) > 0:
            by_facet.setdefault(int(relevance.argmax()), []).append(vote)
    return {
        column: own
        for column, own in by_facet.items()
        if not any(vote["vote"] in IN_FAVOUR for vote in own)
    }


def similarity(pool: Pool, vectors: Vectors) -> Floats:
    """[n_candidates], 0..1: mean similarity of each candidate's passages to these vectors."""
    near = np.zeros(len(pool.ids))
    like = cold_penalty(pool.evidence.vectors, vectors, sharpening=pool.scale.repeats)
    for row, passages in enumerate(pool.evidence.passages):
        if passages:
            near[row] = like[list(passages)].mean()
    return near
