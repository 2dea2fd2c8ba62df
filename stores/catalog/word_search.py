"""Finds passages by words, through the lexical index."""

import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from secondhop.stores.catalog import lexicon
from secondhop.stores.catalog.analysis import query_terms
from secondhop.stores.catalog.stored_ids import among
from secondhop.stores.database import Connection
from secondhop.stores.records import PassageHit

_NUMBERED = """SELECT passage_no, passage_id, memory_id FROM passages
    WHERE passage_no IN (SELECT CAST(value AS INTEGER) FROM json_each(?))"""


def best_by_words(
    connection: Connection,
    queries: Sequence[str],
    *,
    k: int,
    memory_ids: Sequence[str] | None = None,
) -> list[list[PassageHit]]:
    """For each query, the best `k` by `lexicon.search`; ties by smaller passage id.

    Args:
        memory_ids: only passages of these memories; None: all.
    """
    terms = [query_terms(query) for query in queries]
    found = lexicon.search(connection, terms)
    if memory_ids is not None:
        sql = "SELECT passage_no FROM passages WHERE memory_id IN"
        wanted = [number for (number,) in among(connection, sql, memory_ids)]
        found = [_only(wanted, numbers, scores) for numbers, scores in found]
    near = [_best(numbers, scores, k=k) for numbers, scores in found]
    numbers = json.dumps([*{number for best in near for number in best}])
    rows = connection.execute(_NUMBERED, (numbers,))
    known = {number: (passage_id, memory_id) for number, passage_id, memory_id in rows}
    return [
        sorted(
            (PassageHit(*known[number], score) for number, score in best.items()),
            key=lambda hit: (-hit.score, hit.passage_id),
        )[:k]
        for best in near
    ]


def _only(
    wanted: Sequence[int], numbers: npt.NDArray[np.int64], scores: npt.NDArray[np.float64]
) -> lexicon.Scored:
    """What a search found of these passages."""
    is_wanted = np.isin(numbers, wanted)
    return numbers[is_wanted], scores[is_wanted]


def _best(
    numbers: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], *, k: int
) -> dict[int, float]:
    """{passage number: score} of the best `k`, and of all that tie with the k-th."""
    # keep the ties: the passage id decides between them
    kth = np.partition(scores, -k)[-k] if len(scores) > k else 0.0
    best = np.flatnonzero(scores >= kth)
    return dict(zip(numbers[best].tolist(), scores[best].tolist(), strict=True))
