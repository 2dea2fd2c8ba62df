"""What one search of a query found, in columns.

A recall finds thousands of passages, and many recalls run at once: three lists a ranking cost the
garbage collector nothing to speak of, an object a passage costs it more than the search.
"""

from collections.abc import Iterator, Sequence

from secondhop.nodes.state import Hits, Ranking
from secondhop.stores.records import PassageHit


def as_hits(found: Sequence[PassageHit]) -> Hits:
    """The state's form of a search's ranking."""
    return {
        "passage_ids": [hit[0] for hit in found],
        "memory_ids": [hit[1] for hit in found],
        "scores": [round(hit[2], 6) for hit in found],
    }


def rows(hits: Hits) -> Iterator[tuple[str, str, float]]:
    """(passage id, memory id, score), best first."""
    return zip(hits["passage_ids"], hits["memory_ids"], hits["scores"], strict=True)


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
