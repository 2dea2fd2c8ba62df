"""Rankings between rounds: only what fusing them again will read, every id once."""

from collections.abc import Sequence
from typing import Any

from secondhop.nodes.retrieval.hits import cosines_of, memory_order, of_memories, rows
from secondhop.nodes.state import Hits, Query, Ranking


class IdTable:
    """Passage ids by number, so that each stands in the JSON once."""

    def __init__(self) -> None:
        self.passages: list[list[str]] = []
        """[passage id, memory id] by number."""
        self._places: dict[str, int] = {}

    def place(self, passage_id: str, memory_id: str) -> int:
        """The number of a passage."""
        if passage_id not in self._places:
            self._places[passage_id] = len(self.passages)
            self.passages.append([passage_id, memory_id])
        return self._places[passage_id]


def packed_ranking(ranking: Ranking, query: Query, ids: IdTable, *, depth: int) -> list[Any]:
    """[query id, dense, lexical, cosines, ms, error]; hits as [passage, score, passage, score, …].

    Of each leg only the hits of its first `depth` memories count when it is fused, and the cosines
    of the lexical ones. Rankings of names that evidence held are kept whole: what was known when
    they were asked for is taken out of them first.
    """
    known = cosines_of(ranking)
    whole = query["origin"] == "evidence"
    dense = ranking["dense"] if whole else first_memories(ranking["dense"], depth)
    lexical = ranking["lexical"] if whole else first_memories(ranking["lexical"], depth)
    shown = set(dense["passage_ids"])
    cosines = [
        part
        for passage_id, memory_id, _ in rows(lexical)
        if passage_id in known and passage_id not in shown
        for part in (ids.place(passage_id, memory_id), known[passage_id])
    ]
    return [
        ranking["query_id"],
        packed_hits(dense, ids),
        packed_hits(lexical, ids),
        cosines,
        ranking["ms"],
        ranking["error"],
    ]


def unpacked_ranking(row: Sequence[Any], passages: Sequence[list[str]]) -> Ranking:
    """The ranking, as far as it was kept."""
    query_id, dense, lexical, cosines, ms, error = row
    return Ranking(
        query_id=query_id,
        dense=unpacked_hits(dense, passages),
        lexical=unpacked_hits(lexical, passages),
        cosines={
            passages[place][0]: float(cosine)
            for place, cosine in zip(cosines[::2], cosines[1::2], strict=True)
        },
        ms=ms,
        error=error,
    )


def first_memories(hits: Hits, depth: int) -> Hits:
    """The hits of the first `depth` memories of a leg."""
    return of_memories(hits, set(memory_order(hits)[:depth]))


def packed_hits(hits: Hits, ids: IdTable) -> list[Any]:
    """Passage numbers and scores in turn."""
    return [
        part
        for passage_id, memory_id, score in rows(hits)
        for part in (ids.place(passage_id, memory_id), score)
    ]


def unpacked_hits(flat: Sequence[Any], passages: Sequence[list[str]]) -> Hits:
    """The hits that were packed."""
    found = [passages[int(place)] for place in flat[::2]]
    return {
        "passage_ids": [passage_id for passage_id, _ in found],
        "memory_ids": [memory_id for _, memory_id in found],
        "scores": list(map(float, flat[1::2])),
    }
