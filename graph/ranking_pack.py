"""Rankings between rounds: only what fusing them again will read, every id once."""

from collections.abc import Sequence
from typing import Any

from secondhop.nodes.fuse import memory_order
from secondhop.nodes.state import Hit, Query, Ranking


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
    known = ranking["cosines"] | {hit["passage_id"]: hit["score"] for hit in ranking["dense"]}
    whole = query["origin"] == "evidence"
    dense = ranking["dense"] if whole else first_memories(ranking["dense"], depth)
    lexical = ranking["lexical"] if whole else first_memories(ranking["lexical"], depth)
    shown = {hit["passage_id"] for hit in dense}
    cosines = [
        part
        for hit in lexical
        if hit["passage_id"] in known and hit["passage_id"] not in shown
        for part in (ids.place(hit["passage_id"], hit["memory_id"]), known[hit["passage_id"]])
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


def first_memories(hits: Sequence[Hit], depth: int) -> list[Hit]:
    """The hits of the first `depth` memories of a leg."""
    kept = set(memory_order(hits)[:depth])
    return [hit for hit in hits if hit["memory_id"] in kept]


def packed_hits(hits: Sequence[Hit], ids: IdTable) -> list[Any]:
    """Passage numbers and scores in turn."""
    return [
        part
        for hit in hits
        for part in (ids.place(hit["passage_id"], hit["memory_id"]), hit["score"])
    ]


def unpacked_hits(flat: Sequence[Any], passages: Sequence[list[str]]) -> list[Hit]:
    """The hits that were packed."""
    hits: list[Hit] = []
    for place, score in zip(flat[::2], flat[1::2], strict=True):
        passage_id, memory_id = passages[int(place)]
        hits.append(Hit(passage_id=passage_id, memory_id=memory_id, score=float(score)))
    return hits
