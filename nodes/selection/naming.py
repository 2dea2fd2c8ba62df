"""The memory that a question names: its words find it better than cues do."""

from collections.abc import Collection

from secondhop.nodes.planning.follow_up import telling_words
from secondhop.nodes.planning.near_queries import same_word
from secondhop.nodes.retrieval.similarity import rows
from secondhop.nodes.state import Hits, Ranking
from secondhop.ranking.sentences import without_possessive
from secondhop.ranking.stop_words import CALENDAR_WORDS
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
    telling = subject_words(question)
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


def says_its_subject(question: str, text: str) -> bool:
    """Whether a text has a word for the question's subject in some form.

    The search by words compares stems, which bring "busy" for "business".

    >>> says_its_subject("Get the business through the winter", "I know it was busy")
    False
    >>> says_its_subject("Prepare Thursday's interview", "interviews, round two")
    True
    """
    said = {*words(text)}
    return any(
        one in said or any(same_word(one, other) for other in said)
        for one in subject_words(question)
    )


def subject_words(question: str) -> set[str]:
    """The words that say what a question is about; a weekday or a month does not."""
    bare = " ".join(map(without_possessive, question.split()))
    return {*telling_words(bare)} - CALENDAR_WORDS


def best_scores(hits: Hits, *, leaving_out: Collection[str]) -> dict[str, float]:
    """{memory id: score of its best passage}"""
    best: dict[str, float] = {}
    for _, memory_id, score in rows(hits):
        if memory_id not in leaving_out:
            best[memory_id] = max(score, best.get(memory_id, score))
    return best
