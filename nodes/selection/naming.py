"""The memory that a question names: its words find it better than cues do."""

from collections.abc import Collection

from secondhop.nodes.planning.near_queries import SMALL
from secondhop.nodes.retrieval.similarity import rows
from secondhop.nodes.state import Hits, Ranking
from secondhop.ranking.words import words

FEW = 3
"""A question of at most this many telling words hardly says more than what it is about."""

LEAD = 0.3
"""Share of its lexical score by which the first memory leads the second, if a short question names
it alone."""

MOST = 0.6
"""Lexical score from which a memory says most of a question."""


def named_memory(found: Ranking, question: str, *, leaving_out: Collection[str] = ()) -> str:
    """The id of the memory that the question names; "" if it names none.

    No other memory (but those to leave out) has more of its words. For a short question, it also
    leads by far or is the most similar one; for a longer one, it says most of it and is the most
    similar.
    """
    telling = {*words(question)} - SMALL
    worded = best_scores(found["lexical"], leaving_out=leaving_out)
    near = best_scores(found["dense"], leaving_out=leaving_out)
    if not telling or not worded:
        return ""
    first, *others = sorted(worded, key=lambda one: (-worded[one], -near.get(one, 0.0), one))
    is_nearest = near.get(first, 0.0) >= max(near.values(), default=0.0)
    if len(telling) > FEW:
        return first if is_nearest and worded[first] >= MOST else ""
    second = worded[others[0]] if others else 0.0
    return first if is_nearest or second <= (1 - LEAD) * worded[first] else ""


def best_scores(hits: Hits, *, leaving_out: Collection[str]) -> dict[str, float]:
    """{memory id: score of its best passage}"""
    best: dict[str, float] = {}
    for _, memory_id, score in rows(hits):
        if memory_id not in leaving_out:
            best[memory_id] = max(score, best.get(memory_id, score))
    return best
