"""Turns votes into the next round's query vector."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.ranking.arrays import Floats, Vector, Vectors, products, unit_rows
from secondhop.ranking.coverage import Sharpening
from secondhop.ranking.votes import EFFECTS


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackWeights:
    """How far votes move a query vector of length 1."""

    positive: float = 0.75
    """Weight of the mean of hot and warm vectors."""
    hot: float = EFFECTS["hot"].pull
    warm: float = EFFECTS["warm"].pull
    cold: float = -EFFECTS["cold"].pull
    wrong: float = -EFFECTS["wrong"].pull
    round_decay: float = 0.5
    """0..1: the factor by which a vote's weight falls each round."""

    def __post_init__(self) -> None:
        moves = (self.positive, self.hot, self.warm, self.cold, self.wrong)
        if not all(0 <= move < np.inf for move in moves) or not 0 <= self.round_decay <= 1:
            raise ValueError(f"weights must not be negative and round_decay in 0..1, got {self}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteVectors:
    """The vectors of the memories voted on in one round, for one facet; each float32 [n, dim]."""

    hot: Vectors
    warm: Vectors
    cold: Vectors
    wrong: Vectors


_DEFAULTS = FeedbackWeights()
_BGE_SMALL = Sharpening()


def refine_query(
    query: Vector, rounds: Sequence[VoteVectors], *, weights: FeedbackWeights = _DEFAULTS
) -> Vector:
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

    Raises:
        ValueError: the vectors of a vote are not [n, dim].

    Source: Rocchio, in: The SMART Retrieval System, ed. Salton, 1971, pp. 313-323; the
    orthogonal part after Widdows, ACL 2003, doi:10.3115/1075096.1075114.
    """
    _check_shapes(query, rounds)
    hot, hot_votes = _faded_sum([votes.hot for votes in rounds], decay=weights.round_decay)
    warm, warm_votes = _faded_sum([votes.warm for votes in rounds], decay=weights.round_decay)
    votes_for = hot_votes + warm_votes
    if votes_for == 0:
        return query
    positive = (weights.hot * hot + weights.warm * warm) / max(votes_for, 1.0)
    towards = query.astype(np.float64) + weights.positive * positive
    anchor = unit_rows(towards).astype(np.float64)
    away = np.zeros_like(towards)
    for vectors, weight in (
        ([votes.cold for votes in rounds], weights.cold),
        ([votes.wrong for votes in rounds], weights.wrong),
    ):
        total, count = _faded_sum(vectors, decay=weights.round_decay)
        mean = total / max(count, 1.0)
        away = away + weight * (mean - (mean @ anchor) * anchor)
    refined = unit_rows(towards - away)
    return refined if refined.any() else query


def cold_penalty(
    candidates: Vectors, cold_vectors: Vectors, *, sharpening: Sharpening = _BGE_SMALL
) -> Floats:
    """[n], 0..1: how near each candidate is to a memory voted cold or wrong; 0 without such votes.

    It is the highest cosine, sharpened as in `evidence_coverage`. Multiply scores by
    1 - strength · penalty.
    """
    if not len(cold_vectors):
        return np.zeros(len(candidates))
    return sharpening(products(candidates, cold_vectors).max(axis=1))


def _check_shapes(query: Vector, rounds: Sequence[VoteVectors]) -> None:
    for votes in rounds:
        for vectors in (votes.hot, votes.warm, votes.cold, votes.wrong):
            if vectors.ndim != 2 or vectors.shape[1:] != query.shape:
                raise ValueError(
                    f"votes must be [n, {query.shape[0]}] like the query, got {vectors.shape}; "
                    f"for none give an array of shape (0, {query.shape[0]})"
                )


def _faded_sum(rounds: Sequence[Vectors], *, decay: float) -> tuple[Floats, float]:
    """(sum of the vectors, number of votes), both multiplied by `decay` per round; oldest first."""
    total, count = np.zeros(1), 0.0
    for vectors in rounds:
        total = total * decay + _exact_sum(vectors, vectors.shape[1])
        count = count * decay + len(vectors)
    return total, count


def _exact_sum(vectors: Vectors, dimension: int) -> Floats:
    """Sum over rows. Each dimension is sorted first, so the order of the rows does not matter."""
    if not len(vectors):
        return np.zeros(dimension)
    return np.asarray(np.sort(vectors.astype(np.float64), axis=0).sum(axis=0), dtype=np.float64)
