"""The memory that a question names: its words find it better than cues do."""

from secondhop.nodes.selection.blend import FacetRanking
from secondhop.ranking.stop_words import STOP_WORDS, TASK_WORDS
from secondhop.ranking.words import words

FEW = 3
"""A question of at most this many telling words hardly says more than what it is about."""

LEAD = 0.3
"""Share of its lexical score by which the first memory leads the second, if a short question names
it alone."""

MOST = 0.6
"""Lexical score from which a memory says most of a question."""


def named_memory(found: FacetRanking, question: str) -> str:
    """The id of the memory that the question names; "" if it names none.

    No other memory has as many of its words. For a short question, it also leads by far or is the
    most similar one; for a longer question, it says most of it and is the most similar one.

    Args:
        found: the question's own ranking.
    """
    first, *others = sorted(found.lexical, key=lambda one: (-found.lexical[one], one)) or [""]
    score = found.lexical.get(first, 0.0)
    if score <= 0:
        return ""
    is_nearest = found.dense.get(first, 0.0) >= max(found.dense.values())
    telling = {word for word in words(question) if word not in STOP_WORDS | TASK_WORDS}
    if len(telling) > FEW:
        return first if is_nearest and score >= MOST else ""
    second = found.lexical[others[0]] if others else 0.0
    return first if is_nearest or second <= (1 - LEAD) * score else ""
