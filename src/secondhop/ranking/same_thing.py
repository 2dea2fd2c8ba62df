"""Whether two short texts are about the same thing, by their words alone."""

from collections.abc import Iterator
from typing import Final

from secondhop.ranking.stop_words import STOP_WORDS
from secondhop.ranking.words import words

ALIKE: Final = 0.6
"""Jaccard of their words from which on two texts are one thing: notes that differ in a number or a
name stay two, a version with a sentence more does not."""

CONTAINED: Final = 0.8
"""Share of a text's runs of three words from which on another text says it, too."""

RUN: Final = 3


class SameThing:
    """Remembers texts, and tells which of them a new one repeats."""

    def __init__(self) -> None:
        self._told: list[tuple[str, frozenset[str], frozenset[tuple[str, ...]]]] = []

    def repeats(self, name: str, text: str) -> str:
        """The name of the first text that says the same; "" for none, and then it is remembered.

        The same: Jaccard of their words, without the most frequent ones, of at least `ALIKE`; or
        at least `CONTAINED` of the new one's runs of three words stand in the older, too. A text
        that holds an older one and says more is not the same.

        Source: Jaccard 1912; containment of shingles: Broder 1997,
        doi:10.1109/SEQUEN.1997.666900.
        """
        own = words(text)
        telling = frozenset(own) - STOP_WORDS or frozenset(own)
        runs = frozenset(_runs(own))
        for other, other_words, other_runs in self._told:
            if jaccard(telling, other_words) >= ALIKE or share_in(other_runs, runs) >= CONTAINED:
                return other
        self._told.append((name, telling, runs))
        return ""


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Words of both over words of either; 0 where either has none."""
    return len(one & other) / len(one | other) if one and other else 0.0


def share_in(other: frozenset[tuple[str, ...]], runs: frozenset[tuple[str, ...]]) -> float:
    """Share of `runs` that stand in `other`, too; 0 of none."""
    return len(runs & other) / len(runs) if runs else 0.0


def _runs(own: list[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(own[n : n + RUN]) for n in range(len(own) - RUN + 1))
