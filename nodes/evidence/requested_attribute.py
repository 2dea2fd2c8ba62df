"""Detects whether a question asks for a current state, and of what.

English, as `question_kind`.
"""

import re
from typing import Final

from secondhop.stores.catalog.analysis import query_terms

_LOOKS: Final = re.compile(
    r"\b(what|which|who|where|when|how (many|much|long|often|big|old|far|high|tall))\b", re.I
)
_PAST: Final = re.compile(r"\b(did|was|were|had|ago|used to|back then)\b", re.I)
_ASKS_ADVICE: Final = re.compile(r"\b(you|your)\b", re.I)

_VERB: Final = r"(?:have|has|do|does|are|is|can|could|should|will|would|am|must|may|might|shall)"
_AFTER: Final = (
    r"(?:of|for|in|to|with|on|at|by|from|after|before|that|which|who|"
    r"used|using|called|named|scheduled|planned|going|doing|now|today|currently)"
)
_THINGS: Final = (
    re.compile(rf"\bhow (?:many|much)\s+(?P<thing>.+?)\s+{_VERB}\b", re.I),
    re.compile(
        rf"\b(?:what|which)\s+(?!time\b)(?P<thing>(?:(?!{_VERB}\b)[\w'’-]+\s+){{1,5}}){_VERB}\b",
        re.I,
    ),
    re.compile(
        r"\b(?:what|which|when|where|who)(?:['’]s|\s+(?:is|are))\s+"
        rf"(?P<thing>.+?)(?:\s+{_AFTER}\b|[?,.;]|$)",
        re.I,
    ),
)


def asks_for_a_state(question: str) -> bool:
    """Whether something is looked up that holds today, and not what happened, nor advice.

    >>> asks_for_a_state("How many sources are in my library?")
    True
    >>> asks_for_a_state("What did we eat in Rome?"), asks_for_a_state("What would you suggest?")
    (False, False)
    """
    last = question.strip().rsplit(". ", 1)[-1]
    if _PAST.search(last) or _ASKS_ADVICE.search(question):
        return False
    return _LOOKS.search(question) is not None


def asked_thing(question: str) -> frozenset[str]:
    """Search terms of what is asked for: the deadline, the word count; empty where none is named.

    >>> sorted(asked_thing("What is my weekly word count target for the novel?"))
    ['count', 'target', 'week', 'word']
    >>> sorted(asked_thing("How many open invoices do I have?"))
    ['invoic', 'open']
    >>> sorted(asked_thing("When is my call with the dentist?")), sorted(asked_thing("And now?"))
    (['call'], [])
    """
    for pattern in _THINGS:
        if found := pattern.search(question):
            return frozenset(query_terms(found["thing"]).words)
    return frozenset()
