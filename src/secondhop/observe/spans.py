"""Finds words in a message, and checks that the message supports a statement."""

import re
from collections import defaultdict

from secondhop.nodes.planning.near_queries import STEM, same_word
from secondhop.ranking.words import words

_SAME: dict[str, str] = {
    **dict.fromkeys("'’‘", "['’‘]"),
    **dict.fromkeys('"“”„', '["“”„]'),
    **dict.fromkeys("-‐‑–", "[-‐‑–]"),
}
_NUMBER = re.compile(r"\d+")


def located(quote: str, content: str) -> tuple[int, int] | None:
    """(start, end) of the quote in the message; None if the message does not contain it.

    Spaces, case, and the shapes of quotation marks and dashes may differ, nothing else.

    >>> located("I live in  Bonn", "Well, i live in Bonn.")
    (6, 20)
    """
    parts = quote.split()
    if not parts:
        return None
    pattern = r"\s+".join("".join(_SAME.get(c, re.escape(c)) for c in part) for part in parts)
    found = re.search(pattern, content) or re.search(pattern, content, re.I)
    return (found.start(), found.end()) if found else None


def borne_out(statement: str, content: str) -> bool:
    """Whether a message contains every number of a statement, and at least half of its words.

    A word may have another ending. A word that is not ASCII may also be part of a longer one,
    because many languages join prefixes to names.

    >>> borne_out("12 Mill Lane", "my address is 12 Mill Lane"), borne_out("Rome", "I live here")
    (True, False)
    >>> borne_out("Берлин", "Я живу в Берлине"), borne_out("ירושלים", "אני גר בירושלים")
    (True, True)
    """
    numbers = set(_NUMBER.findall(content))
    if not all(number in numbers for number in _NUMBER.findall(statement)):
        return False
    said = set(words(statement))
    there: defaultdict[str, list[str]] = defaultdict(list)
    for word in dict.fromkeys(words(content)):
        there[word[:STEM]].append(word)
    everything = content.casefold()
    found = [
        word
        for word in said
        if any(word == one or same_word(word, one) for one in there.get(word[:STEM], ()))
        or (not word.isascii() and word in everything)
    ]
    return bool(said) and 2 * len(found) >= len(said)
