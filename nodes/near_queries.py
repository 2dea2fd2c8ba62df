"""Queries that say nearly the same are one query."""

from collections.abc import Iterable

from secondhop.ranking.words import words

NEAR = 0.75
"""Share of common words (Jaccard) from which on two queries are one."""


class DistinctQueries:
    """Lets a query through when none like it came before."""

    def __init__(self, asked: Iterable[str] = ()) -> None:
        self._known = [word_set(text) for text in asked]

    def take(self, queries: Iterable[str], *, limit: int) -> tuple[str, ...]:
        """At most `limit` queries that are new, in order; they count as asked from now on."""
        taken: list[str] = []
        for query in queries:
            meant = word_set(query)
            if len(taken) < limit and meant and not any(near(meant, old) for old in self._known):
                self._known.append(meant)
                taken.append(query)
        return tuple(taken)


def word_set(text: str) -> frozenset[str]:
    """The words of a query."""
    return frozenset(words(text))


def near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two queries share nearly all their words.

    >>> near(word_set("my goals for the year"), word_set("My goals, for the year!"))
    True
    """
    return bool(one) and len(one & other) >= NEAR * len(one | other)
