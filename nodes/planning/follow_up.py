"""Questions that say little without what was asked before, such as "And the other one?"."""

import re
from collections.abc import Sequence
from typing import Final

from secondhop.nodes.planning.question_kind import is_small_talk, names_in
from secondhop.ranking.stop_words import STOP_WORDS, TASK_WORDS
from secondhop.ranking.words import words

_REFERS: Final = re.compile(
    r"^\W*(?:hm+|ok(?:ay)?|and|or|but|so|also|then|what about|how about|thanks)\b"
    r"|\b(?:it|its|that|this|these|those|them|they|one|ones|he|him|she|her|there|else)\b",
    re.I,
)
"""Words that go on with a conversation or point back into it."""

OF_THE_ANSWER: Final = frozenset(
    """
    brief bullet bullets checklist detail details different differently draft email example examples
    first form format last list long longer message option options paragraph part parts point points
    reason reasons second sentence sentences short shorter simple simpler simply step steps summary
    table third time times version wording words
    """.split()  # noqa: SIM905 - a block of words reads better than a list of strings
)
"""Words about an answer, or about its place in the conversation."""

EARLIER_CHARS = 2_000
"""The most that is taken of what was asked before."""


def with_subject(question: str, earlier: Sequence[str]) -> str:
    """The question; a follow-up comes after the last earlier question that has a subject, and after
    those that named somebody since ("And Jonas?").

    Small talk ("thanks!") stays alone.

    Args:
        earlier: what the person asked before in this conversation, oldest first.

    >>> with_subject("And what should I bring?", ["Plan my trip to Lisbon", "Thanks!"])
    'Plan my trip to Lisbon\\nAnd what should I bring?'
    >>> with_subject("When does the Lisbon flight leave?", ["Help me choose a wine"])
    'When does the Lisbon flight leave?'
    """
    if not earlier or has_subject(question) or is_small_talk(question) or not words(question):
        return question
    before: list[str] = []
    for one in reversed(earlier):
        if has_subject(one) or (names_in(one) and not is_small_talk(one)):
            before.insert(0, one.strip())
        if has_subject(one):
            break
    told = "\n".join(before or [earlier[-1]])
    return f"{told[:EARLIER_CHARS]}\n{question}".strip()


def has_subject(question: str) -> bool:
    """Whether a question can be searched by itself.

    It names two things, or one without pointing back ("Where is the market?"). Stop words, tasks
    ("write") and words about an answer name nothing. English only: elsewhere every word counts.
    """
    return len(telling_words(question)) > (1 if _REFERS.search(question) else 0)


def telling_words(question: str) -> list[str]:
    """The words that say what a question is about, each once, in order.

    >>> telling_words("Did you write anything about the attic or the attic stairs?")
    ['attic', 'stairs']
    """
    little = STOP_WORDS | TASK_WORDS | OF_THE_ANSWER
    return [word for word in dict.fromkeys(words(question)) if word not in little]
