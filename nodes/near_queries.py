"""Queries that say nearly the same are one query."""

from collections.abc import Iterable
from dataclasses import dataclass

from secondhop.ranking.sentences import bare, token_lists, without_possessive
from secondhop.ranking.stop_words import CALENDAR_WORDS, STOP_WORDS, TASK_WORDS
from secondhop.ranking.words import words

NEAR = 0.75
"""Share of common words (Jaccard) from which on two queries are one."""


class DistinctQueries:
    """Lets a query through when none like it came before."""

    def __init__(self, asked: Iterable[str] = ()) -> None:
        self._known = [meant_by(text) for text in asked]

    def take(self, queries: Iterable[str], *, limit: int) -> tuple[str, ...]:
        """At most `limit` queries that are new, in order; they count as asked from now on."""
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
    """What two queries are compared by."""

    words: frozenset[str]
    exact: frozenset[str]
    """Words that nothing stands in for: capitalised ones, numbers, months and days."""


def meant_by(text: str) -> Meant:
    """The words of a query, "Anna" for "Anna's".

    >>> sorted(meant_by("The flight to Rome on 3 May, with Anna's dog").exact)
    ['3', 'anna', 'may', 'rome']
    """
    tokens = [without_possessive(token) for sentence in token_lists(text) for token in sentence]
    names = {word for token in tokens if is_name(token) for word in words(token)}
    known = frozenset(words(" ".join(tokens)))
    fixed = {word for word in known if word in CALENDAR_WORDS or any(map(str.isdigit, word))}
    return Meant(words=known, exact=frozenset(names | fixed))


def is_name(token: str) -> bool:
    """Whether a token is capitalised, and is no word that only opens a sentence."""
    return token[0].isupper() and bare(token) not in STOP_WORDS | TASK_WORDS


def near(one: Meant, other: Meant) -> bool:
    """Whether two queries share nearly all their words, and every name, number and date.

    A word that is capitalised in one of them only is the same word.

    >>> near(meant_by("my goals for the year"), meant_by("My Goals, for the year!"))
    True
    >>> near(meant_by("trip to Rome in May with Anna"), meant_by("trip to Rome in May with Ben"))
    False
    """
    if not one.exact <= other.words or not other.exact <= one.words:
        return False
    return bool(one.words) and len(one.words & other.words) >= NEAR * len(one.words | other.words)
