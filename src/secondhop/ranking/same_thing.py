"""Whether two short texts say the same thing, by their words alone."""

from collections.abc import Iterator
from typing import Final

from secondhop.ranking.stop_words import STOP_WORDS
from secondhop.ranking.words import words

ALIKE: Final = 0.6
"""Two texts say the same if the Jaccard of their words is at least this. Notes that differ in a
number or a name stay apart; a version with one sentence more does not."""

CONTAINED: Final = 0.8
"""A text repeats another if at least this share of its three-word runs occur in the other."""

RUN: Final = 3


class SameThing:
    """Remembers texts, and tells which one a new text repeats."""

    def __init__(self) -> None:
        self._told: list[tuple[str, frozenset[str], frozenset[tuple[str, ...]]]] = []

    def repeats(self, name: str, text: str) -> str:
        """The name of the first remembered text that says the same; if none does, "".

        Only a text that repeats none is remembered. Two texts say the same if the Jaccard of their
        words, without stop words, is at least `ALIKE`, or if at least `CONTAINED` of the new
        text's three-word runs occur in the older one. A new text that contains an older one and
        says more need not repeat it.

        Source: Jaccard 1912; containment of shingles: Broder 1997,
        doi:10.1109/SEQUEN.1997.666900.
        """
        own = words(text)
        telling = frozenset(own) - STOP_WORDS or frozenset(own)
        runs = frozenset(_runs(own))
        for other, other_words, other_runs in self._told:
            alike = len(telling & other_words) >= ALIKE * len(telling | other_words) > 0
            contained = len(runs & other_runs) >= CONTAINED * len(runs) > 0
            if alike or contained:
                return other
        self._told.append((name, telling, runs))
        return ""


def _runs(own: list[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(own[n : n + RUN]) for n in range(len(own) - RUN + 1))
