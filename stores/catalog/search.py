"""Passages ranked by their words."""

import sqlite3
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from secondhop.stores.catalog import lexicon
from secondhop.stores.catalog.analysis import query_terms
from secondhop.stores.catalog.reads import in_chunks
from secondhop.stores.records import PassageHit


def best_by_words(
    connection: sqlite3.Connection, queries: Sequence[str], *, k: int, settings: lexicon.Bm25
) -> list[list[PassageHit]]:
    """For each query the best `k` by `lexicon.search`; equal scores by smaller passage id."""
    terms = [query_terms(query) for query in queries]
    found = lexicon.search(connection, terms, settings=settings)
    near = [_best(numbers, scores, k=k) for numbers, scores in found]
    rows = in_chunks(
        connection,
        "SELECT passage_no, passage_id, memory_id FROM passages WHERE passage_no IN",
        [number for best in near for number in best],
    )
    known = {number: (passage_id, memory_id) for number, passage_id, memory_id in rows}
    return [
        sorted(
            (PassageHit(*known[number], score) for number, score in best.items()),
            key=lambda hit: (-hit.score, hit.passage_id),
        )[:k]
        for best in near
    ]


def _best(
    numbers: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], *, k: int
) -> dict[int, float]:
    """{passage number: score} of the best `k`, and of all that equal the k-th."""
    # all that equal it: the passage id decides between them
    kth = np.partition(scores, -k)[-k] if len(scores) > k else 0.0
    best = np.flatnonzero(scores >= kth)
    return dict(zip(numbers[best].tolist(), scores[best].tolist(), strict=True))
