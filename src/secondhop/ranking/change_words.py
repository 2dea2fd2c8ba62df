"""Where a text says that something is over: "OpenVPN is gone", "tea, not coffee", "used to be 24".

English. The words are those of everyday change: something ends, is replaced, moves, was wrong.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

REACH: Final = 7
"""Words before and after the words of change within which what has changed is looked for."""

_ENDED = (
    r"retired|cancell?ed|abolished|dropped|scrapped|abandoned|discontinued|deprecated|withdrawn|"
    r"revoked|removed|deleted|shut down|closed(?: down)?|sold|switched off|turned off|renamed|"
    r"rewritten|redrawn|redone|moved|changed|replaced|postponed|rescheduled|put off|called off|"
    r"over|off|gone|out of date|outdated|obsolete|expired|lapsed|ended|finished|wiped|erased|"
    r"overturned|reversed|lifted"
)
_DONE = (
    r"moved|switched|changed|dropped|cancell?ed|stopped|quit|left|sold|swapped|gave up|given up|"
    r"scrapped|abandoned|withdrew|withdrawn|tore up|went away|ran out|expired|lapsed|broke up|gone"
)
_CHANGE: Final = re.compile(
    rf"\b(?:no longer|any ?more|no more|instead of|rather than|replac(?:es|ed|ing)|"
    rf"supersed(?:es|ed)|"
    rf"(?:is|was|were|been|got|has|have|had|are|be) (?:now |since |all |finally |just )?"
    rf"(?:{_ENDED})|"
    rf"(?:we|i|he|she|they|you|it|who|and|has|have) (?:have |has |had |just |finally )?(?:{_DONE})|"
    r"(?:switch(?:ed|ing)|chang(?:ed|ing)|mov(?:ed|ing)) (?:to|from|over|back|off|away|out)|"
    r"retired|cancell?ed|withdrawn|discontinued|scrapped|ran out|used to|formerly|previously|"
    r"predecessors?|the previous|(?:the|my|our|his|her|their|its) (?:old|former)|"
    r"old (?:one|list|version|map|letter|way|plan|figure|address|number|key|rules?)|"
    r"(?:was|were) wrong|done with|from now on|(?<=\()(?:was|were)|"
    r"new (?:date|address|number|rules?|list|plan|version|time|place|job|phone|password|key))\b",
    re.I,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD: Final = re.compile(r"[^\W_](?:[\w'’.,:/-]*[^\W_])?")


_WISH: Final = re.compile(
    r"\b(?:I(?:['’]d| would)? (?:rather|prefer)|my (?:preference|default|rule)|(?:the way|how) I "
    r"(?:want|like)|I (?:always |never )?(?:want|like) (?:it|them|my)|from now on|"
    r"remember (?:this|that))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Change:
    """What a text says is over."""

    words: str
    """The words of change: "is gone"."""
    about: str
    """What they stand beside: "openvpn"."""


def told_words(text: str) -> set[str]:
    """Words, numbers and identifiers of a text, folded: "10.20.0.7", "kestrel-1".

    >>> sorted(told_words("The DB moved to 10.20.0.7, not far."))
    ['10.20.0.7', 'db', 'far', 'moved', 'not', 'the', 'to']
    """
    return {match.group().casefold() for match in _WORD.finditer(text)}


def wish_told(text: str) -> str:
    """The words in which a text says how its writer wants things done; "" where it does not.

    >>> wish_told("Remember that as my default: we fix forward.")
    'remember that'
    """
    found = _WISH.search(text)
    return found.group().casefold() if found else ""


def change_told(text: str, *, is_about: Callable[[str], bool]) -> Change | None:
    """The first place where words of change stand beside a word that `is_about` knows.

    >>> change_told("OpenVPN is gone. It's WireGuard now.", is_about={"openvpn"}.__contains__)
    Change(words='is gone', about='openvpn')
    """
    for sentence in _SENTENCE.split(text):
        words: list[tuple[int, str]] | None = None
        for found in _CHANGE.finditer(sentence):
            if words is None:
                words = [(m.start(), m.group().casefold()) for m in _WORD.finditer(sentence)]
            before = [word for at, word in words if at < found.start()][-REACH:]
            after = [word for at, word in words if at >= found.end()][:REACH]
            for word in (*before, *after):
                if len(word) > 1 and is_about(word):
                    return Change(found.group().casefold(), word)
    return None
