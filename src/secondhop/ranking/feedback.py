"""Turns votes into the next round's query vector."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from secondhop.ranking.arrays import Floats, Vector, Vectors, products, unit_rows
from secondhop.ranking.coverage import Sharpening
from secondhop.ranking.votes import AGAINST, EFFECTS, IN_FAVOUR, VoteName

POSITIVE = 0.75
"""How far the mean of the votes in favour moves a query vector of length 1."""

ROUND_DECAY = 0.5
"""The factor by which a vote's weight falls each round."""

VoteVectors: TypeAlias = Mapping[VoteName, Vectors]
"""{vote: float32 [n, dim]}: the vectors of the memories voted on in one round, for one facet."""


def refine_query(query: Vector, rounds: Sequence[VoteVectors]) -> Vector:
    """The refined query vector of one facet, of unit length.

    q' = normalise( q + 0.75 · mean(1.0 · hot, 0.4 · warm) - 0.3 · cold⊥ - 0.6 · wrong⊥ )

    - mean: the weighted sum divided by the number of votes (not by the sum of weights), so a lone
      warm vote moves the query 0.4 as far as a hot one. A vote of n rounds ago counts as 0.5^n
      votes, in both the sum and the number. The number is at least 1, so old votes alone move less.
    - cold, wrong: the means of their vectors, made the same way. ⊥: the part orthogonal to the
      anchor normalise(q + 0.75 · mean), so that pushing away never undoes what the positive votes
      agree on.
    - Without a hot or warm vote in any round, q is returned unchanged; use `cold_penalty` in the
      ranking instead.

    The order of votes within a round does not change a single bit of the result.

    Args:
        query: the facet's original query (not the refined one of the last round), unit length.
        rounds: oldest first.

    Source: Rocchio, in: The SMART Retrieval System, ed. Salton, 1971, pp. 313-323; the
    orthogonal part after Widdows, ACL 2003, doi:10.3115/1075096.1075114.
    """
    positive, votes_for = np.zeros(len(query)), 0.0
    for name in IN_FAVOUR:
        total, count = _faded_sum(name, rounds, dimension=len(query))
        positive, votes_for = positive + EFFECTS[name].pull * total, votes_for + count
    if votes_for == 0:
        return query
    towards = query.astype(np.float64) + POSITIVE * (positive / max(votes_for, 1.0))
    anchor = unit_rows(towards).astype(np.float64)
    away = np.zeros_like(towards)
    for name in AGAINST:
        total, count = _faded_sum(name, rounds, dimension=len(query))
        mean = total / max(count, 1.0)
        away = away - EFFECTS[name].pull * (mean - (mean @ anchor) * anchor)
    return unit_rows(towards - away)


def cold_penalty(candidates: Vectors, cold_vectors: Vectors, *, sharpening: Sharpening) -> Floats:
    """[n], 0..1: how near each candidate is to a memory voted cold or wrong; 0 without such votes.

    It is the highest cosine, sharpened as in `evidence_coverage`. Multiply scores by
    1 - strength · penalty.
    """
    if not len(cold_vectors):
        return np.zeros(len(candidates))
    return sharpening(products(candidates, cold_vectors).max(axis=1))


def _faded_sum(
    name: VoteName, rounds: Sequence[VoteVectors], *, dimension: int
) -> tuple[Floats, float]:
    """(sum of the vectors with this vote, their number), both multiplied by `ROUND_DECAY` per
    round; oldest first.

    Each dimension is sorted first, so the order of the rows does not matter.
    """
    total, count = np.zeros(dimension), 0.0
    for votes in rounds:
        total, count = total * ROUND_DECAY, count * ROUND_DECAY
        if name in votes:
            total = total + np.sort(votes[name].astype(np.float64), axis=0).sum(axis=0)
            count += len(votes[name])
    return total, count
