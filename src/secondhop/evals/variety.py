"""How different results are: those of different questions, and those of one list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from secondhop.evals.judgements import Rankings
from secondhop.ranking.convergence import jaccard
from secondhop.stores.records import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How much the results of two different questions have in common, over all pairs of them."""

    overlap: float
    """Mean of shared memories / length of the shorter list, 0..1."""
    jaccard: float
    """Mean of shared memories / memories of either, 0..1."""
    pairs: int
    """Pairs of questions, both of which got something."""


def cross_question_overlap(results: Rankings) -> Overlap | None:
    """Over all pairs of questions; None without a pair to compare.

    Near 1 means that everybody gets the same few memories, whatever is asked. Questions about
    one thing share memories rightly, so that 0 is no goal: compare with other systems on the
    same questions.
    """
    lists = [frozenset(ranking) for ranking in results.values() if ranking]
    pairs = list(combinations(lists, 2))
    if not pairs:
        return None
    return Overlap(
        overlap=sum(len(a & b) / min(len(a), len(b)) for a, b in pairs) / len(pairs),
        jaccard=sum(jaccard(a, b) for a, b in pairs) / len(pairs),
        pairs=len(pairs),
    )


def intra_list_distance(ranking: Sequence[str], vectors: Mapping[str, Vector]) -> float | None:
    """Mean cosine distance over the pairs of a list; None for fewer than two known memories.

    How far apart cosines lie depends on the embedding model: compare only within one.

    Source: Smyth and McClave, Similarity vs. Diversity, ICCBR 2001, doi:10.1007/3-540-44593-5_25.

    Args:
        vectors: {memory id: vector of unit length}.
    """
    rows = [vectors[memory_id] for memory_id in ranking if memory_id in vectors]
    if len(rows) < 2:
        return None
    stacked = np.stack(rows).astype(np.float64)
    cosines = (stacked @ stacked.T)[np.triu_indices(len(rows), k=1)]
    return float(1.0 - cosines.mean())
