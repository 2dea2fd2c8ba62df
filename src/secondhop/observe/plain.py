"""The reader without a model: plain English forms of what people say of themselves."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from secondhop.observe.change_words import is_sure, says_change
from secondhop.observe.clauses import Clause, stated
from secondhop.observe.patterns import Stated, what_is_stated
from secondhop.observe.port import SPEAKER, Reading, Readings, Span, Turn

LONGEST: Final = 20_000
"""Characters of a message that are read; what is longer was pasted."""

OTHER_LANGUAGE: Final = (
    "observe: the messages do not look like English; without a language model only plain English "
    "forms are read"
)

_COMMON: Final = re.compile(
    r"the|a|an|and|or|but|of|to|in|on|at|for|with|from|is|are|was|i|i'm|my|we|you|it|this|that|not"
    r"|don't|do|have|has|be|please|me|our|your|what|how|when|as"
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

ENOUGH_WORDS: Final = 8
"""Fewer words do not show their language."""

ENGLISH_SHARE: Final = 0.12
"""Of common English words among all; English text has a third and more."""


PLAIN: Final = "plain"
"""The name of this reader."""


def plain_readings(turns: Sequence[Turn]) -> Readings:
    """What the user's messages state in plain forms; the rest is left alone."""
    found = [
        reading
        for place, turn in enumerate(turns)
        if turn.role == SPEAKER
        for reading in readings_of(place, turn)
    ]
    return Readings(found=found)


def readings_of(place: int, turn: Turn) -> Iterator[Reading]:
    """What one message states, in its order."""
    for clause in stated(turn.content[:LONGEST]):
        for one in what_is_stated(clause.text):
            yield reading_of(one, clause, place)


def reading_of(one: Stated, clause: Clause, place: int) -> Reading:
    """With the clause that says it."""
    is_fact = one.kind == "factual"
    return Reading(
        kind=one.kind,
        span=Span(place, clause.start, clause.start + len(clause.text)),
        text="" if is_fact else one.text,
        value=one.text if is_fact else "",
        subject=one.subject,
        attribute=one.attribute,
        scope=one.scope,
        topic=one.topic,
        change=says_change(clause.sentence, clause.text),
        sure=is_sure(clause.sentence),
    )


def in_another_language(turns: Sequence[Turn]) -> bool:
    """Whether what the user says looks like another language than English."""
    said = " ".join(turn.content[:LONGEST] for turn in turns if turn.role == SPEAKER)
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(said)]
    unspaced = re.search("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]", said) is not None
    if len(words) < ENOUGH_WORDS and not unspaced:
        return False
    return sum(_COMMON.fullmatch(word) is not None for word in words) < ENGLISH_SHARE * len(words)
