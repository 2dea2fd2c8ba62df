"""The questions of one message that asks several."""

import re
from typing import Final

MOST_QUESTIONS = 4
"""Of one message that are asked one by one; the others are left to the message as a whole."""

_QUESTION: Final = re.compile(r"[^?？؟]+[?？؟]+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!;。])\s+|\n+")
_POINTS_BACK: Final = re.compile(r"\b(it|its|he|him|she|they|them|those|these)\b", re.I)
_SAYS_ENOUGH = 3
"""Words of a question that asks for something by itself; "really?" does not."""


def several_questions(message: str) -> list[str]:
    """The questions of a message that asks several; [] for one question, however long.

    A question that is too short, or that points back at what was said before, is left to the
    message as a whole.

    >>> several_questions("Who do I work for? where is the key?")
    ['Who do I work for?', 'where is the key?']
    >>> several_questions("Where is the key? Have you seen it?")
    []
    """
    asked = [_SENTENCE_END.split(part.strip())[-1] for part in _QUESTION.findall(message)]
    whole = [one for one in asked if len(one.split()) >= _SAYS_ENOUGH]
    alone = whole[:1] + [one for one in whole[1:] if not _POINTS_BACK.search(one)]
    different = list(dict.fromkeys(alone))
    return different[:MOST_QUESTIONS] if len(different) > 1 else []
