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

_NAME: Final = r"(?P<name>[A-ZÀ-Þ][^\W_]+(?:[ -][A-ZÀ-Þ][^\W_]+)*)"
_NAMED: Final = re.compile(rf"(?<!\w)(?P<before>\w{{1,60}}),? {_NAME}")
"""A name, and the word before it."""
_NAME_ALONE: Final = re.compile(rf"\W*(?:(?i:and|or|but|so|then|what|how|about)\W+)*{_NAME}\W*")
"""A follow-up that says nothing but a name: "And Ben?". In "And in Lisbon?" it may be a place."""
_TITLED: Final = re.compile(r"\b(?:Drs?|M[rsx]|Mrs|Prof|Rev|St|Fr|Hr|Sra?)\. ")
"""A title before a name, which `_NAMED` would take for the name."""

EARLIER_CHARS = 2_000
"""The most that is taken of what was asked before."""


def with_subject(question: str, earlier: Sequence[str]) -> str:
    """The question; a follow-up comes after the last earlier question that has a subject, and after
    those that named somebody since ("And Jonas?"); each is asked of whom the next one names.

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
    lines = [*(before or [earlier[-1].strip()]), question]
    for place, line in enumerate(lines):
        lines[:place] = [asked_of_another(one, line) for one in lines[:place]]
    told = "\n".join(lines[:-1])
    return f"{told[:EARLIER_CHARS]}\n{question}".strip()


def asked_of_another(earlier: str, follow_up: str) -> str:
    """The earlier question with the name that the follow-up puts in the place of its own.

    That is clear if the same word is before both names, or if the follow-up says nothing but a name
    and the question has only one; neither may be in capitals ("OK"). Else, and if the question has
    a title ("Dr. Peeters"), it stays as it is.

    >>> asked_of_another("What does Ana think about Lisbon?", "And what does Ben think?")
    'What does Ben think about Lisbon?'
    >>> asked_of_another("Plan my trip to Lisbon", "And what should Ben bring?")
    'Plan my trip to Lisbon'
    """
    new = names_with_the_word_before(follow_up)
    if len(new) != 1 or new[0]["name"] in earlier or _TITLED.search(earlier):
        return earlier
    old = names_with_the_word_before(earlier)
    same = [one for one in old if one["before"].casefold() == new[0]["before"].casefold()]
    is_alone = _NAME_ALONE.fullmatch(follow_up) and not any(
        one["name"].isupper() for one in [*old, *new]
    )
    replaced = same or (old if is_alone else [])
    if len(replaced) != 1:
        return earlier
    start, end = replaced[0].span("name")
    return earlier[:start] + new[0]["name"] + earlier[end:]


def names_with_the_word_before(question: str) -> list[re.Match[str]]:
    """The names inside the sentences of a question, as `names_in` finds them."""
    names = names_in(question)
    return [
        one for one in _NAMED.finditer(question) if {*re.split("[ -]", one["name"])} <= {*names}
    ]


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
