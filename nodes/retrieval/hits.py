"""What one search of a query found, in columns.

A recall finds thousands of passages, and many recalls run at once: three lists a ranking cost the
garbage collector nothing to speak of, an object a passage costs it more than the search.
"""

from collections.abc import Container, Iterable, Iterator, Sequence

from secondhop.nodes.state import Hits, Ranking
from secondhop.stores.records import PassageHit


def as_hits(found: Sequence[PassageHit]) -> Hits:
    """The state's form of a search's ranking."""
    return {
        "passage_ids": [hit[0] for hit in found],
        "memory_ids": [hit[1] for hit in found],
        "scores": [round(hit[2], 6) for hit in found],
    }


def no_hits() -> Hits:
    """Of a search that found nothing."""
    return as_hits(())


def rows(hits: Hits) -> Iterator[tuple[str, str, float]]:
    """(passage id, memory id, score), best first."""
    return zip(hits["passage_ids"], hits["memory_ids"], hits["scores"], strict=True)


def from_rows(found: Iterable[tuple[str, str, float]]) -> Hits:
    """Hits from (passage id, memory id, score), best first."""
    kept = list(found)
    return {
        "passage_ids": [passage_id for passage_id, _, _ in kept],
        "memory_ids": [memory_id for _, memory_id, _ in kept],
        "scores": [score for _, _, score in kept],
    }


def without_memories(hits: Hits, known: Container[str]) -> Hits:
    """The hits of all other memories."""
    return from_rows([row for row in rows(hits) if row[1] not in known])


def of_passages(hits: Hits, wanted: Container[str]) -> Hits:
    """The hits of some passages."""
    return from_rows([row for row in rows(hits) if row[0] in wanted])


def count_of(hits: Hits) -> int:
    """How many passages were found."""
    return len(hits["passage_ids"])


def scores_of(hits: Hits) -> dict[str, float]:
    """{passage id: score in the search}."""
    return dict(zip(hits["passage_ids"], hits["scores"], strict=True))


def cosines_of(ranking: Ranking) -> dict[str, float]:
    """{passage id: cosine} of everything whose cosine is known."""
    return ranking["cosines"] | scores_of(ranking["dense"])


def memory_order(hits: Hits) -> list[str]:
    """Memory ids in the order of their best passages."""
    return list(dict.fromkeys(hits["memory_ids"]))
