"""Drops queries that say nearly the same as an earlier one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from secondhop.ranking.sentences import bare, token_lists, without_possessive
from secondhop.ranking.stop_words import CALENDAR_WORDS, STOP_WORDS, TASK_WORDS
from secondhop.ranking.words import words

NEAR = 0.75
"""Least Jaccard similarity of the words of two queries that count as one."""

SMALL: Final = STOP_WORDS | TASK_WORDS
"""Words in which two queries may differ and still count as one."""

STEM: Final = 4
"""Least number of first letters that two forms of a word share."""
_ENDING: Final = 3
"""Most letters of either form after the shared ones."""


class DistinctQueries:
    """Accepts a query only if no similar one came before."""

    def __init__(self, asked: Iterable[str] = ()) -> None:
        self._known = [meant_by(text) for text in asked]

    def take(self, queries: Iterable[str], *, limit: int) -> tuple[str, ...]:
        """At most `limit` new queries, in order; from now on they count as asked."""
        taken: list[str] = []
        for query in queries:
            meant = meant_by(query)
            if (
                len(taken) < limit
                and meant.words
                and not any(near(meant, old) for old in self._known)
            ):
                self._known.append(meant)
                taken.append(query)
        return tuple(taken)


@dataclass(frozen=True, slots=True)
class Meant:
    """The words by which two queries are compared."""

    words: frozenset[str]
    exact: frozenset[str]
    """Words that the other query must contain: capitalised ones, numbers, months and days."""


def meant_by(text: str) -> Meant:
    """The words of a query, "Anna" for "Anna's".

    >>> sorted(meant_by("The flight to Rome on 3 May, with Anna's dog").exact)
    ['3', 'anna', 'may', 'rome']
    """
    tokens = [without_possessive(token) for sentence in token_lists(text) for token in sentence]
    capitals = (token for token in tokens if token[0].isupper() and bare(token) not in SMALL)
    names = {word for token in capitals for word in words(token)}
    known = frozenset(words(" ".join(tokens)))
    fixed = {word for word in known if word in CALENDAR_WORDS or any(map(str.isdigit, word))}
    return Meant(words=known, exact=frozenset(names | fixed))


def near(one: Meant, other: Meant) -> bool:
    """Whether two queries share nearly all their words, and every name, number and date.

    Case does not matter if both contain the word. If each has a word (not a `SMALL` one) that the
    other lacks, they are different, because such words may be names without capitals.

    >>> near(meant_by("my goals for the year"), meant_by("My Goals, for the year!"))
    True
    >>> near(meant_by("trip to rome in may with anna"), meant_by("trip to rome in may with ben"))
    False
    """
    if not one.exact <= other.words or not other.exact <= one.words:
        return False
    left, right = without_forms(one.words, other.words), without_forms(other.words, one.words)
    common = min(len(one.words) - len(left), len(other.words) - len(right))
    if not common or common < NEAR * (len(one.words) + len(other.words) - common):
        return False
    return not (left - SMALL and right - SMALL)


def without_forms(known: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The words of `known` of which `others` contains no form."""
    alone = known - others
    return frozenset(a for a in alone if not any(same_word(a, b) for b in others))


def same_word(one: str, other: str) -> bool:
    """Whether two words are forms of the same word.

    >>> same_word("goal", "goals"), same_word("planned", "planning"), same_word("anna", "ben")
    (True, True, False)
    """
    stem = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        stem += 1
    return stem >= STEM and max(len(one), len(other)) - stem <= _ENDING
