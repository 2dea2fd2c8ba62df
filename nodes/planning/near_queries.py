"""Merges queries that say nearly the same."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from secondhop.ranking.sentences import bare, token_lists, without_possessive
from secondhop.ranking.stop_words import CALENDAR_WORDS, STOP_WORDS, TASK_WORDS
from secondhop.ranking.words import words

NEAR = 0.75
"""Share of common words (Jaccard) from which on two queries are one."""

SMALL: Final = STOP_WORDS | TASK_WORDS
"""Words that two queries may have in the place of each other and still be one."""

STEM: Final = 4
"""Letters that two forms of one word share at least."""
_ENDING: Final = 3
"""Letters that either form may have behind them."""


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
    return token[0].isupper() and bare(token) not in SMALL


def near(one: Meant, other: Meant) -> bool:
    """Whether two queries share nearly all their words, and every name, number and date.

    A word that is capitalised in one of them only is the same word. A word of one that stands
    where the other has another word makes them two: it may be a name without capitals.

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
    """The words that the others hold in no form."""
    alone = known - others
    return frozenset(a for a in alone if not any(same_word(a, b) for b in others))


def same_word(one: str, other: str) -> bool:
    """Whether two words are forms of one.

    >>> same_word("goal", "goals"), same_word("planned", "planning"), same_word("anna", "ben")
    (True, True, False)
    """
    stem = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        stem += 1
    return stem >= STEM and max(len(one), len(other)) - stem <= _ENDING
