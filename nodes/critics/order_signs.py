"""Which sentences of a text are meant for whoever judges it, not for its reader: the wide net.

`order_patterns.py` knows orders in so many words. Here a sentence is weighed by what it is made
of, in English (`order_traits.py`) and in many other languages (`order_words.py`), in every way
that it may be read (`disguises.py`). What is caught is left out of what a model is shown; nothing
else follows from it, so that a sentence caught by mistake costs a sentence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from secondhop.nodes.critics.disguises import Way, readings, ways_to_read
from secondhop.nodes.critics.order_kinds import Kind, has_words_inside, kinds_in, language_of_order
from secondhop.nodes.critics.order_traits import ENOUGH, ENOUGH_TOGETHER, traits_in, weigh

SHORT_WORDS = 3
"""A line of so many words is part of a sentence that runs on."""

BESIDE_WORDS = 5
"""A sentence of so many words that stands beside an order goes with it: "I beg you.\""""

RUN = 4
"""So many short lines may be one sentence."""

RUN_CHARS = 400
"""Of a run of short lines that is read as one sentence."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What a sentence has of an order."""

    traits: frozenset[str] = frozenset()
    kinds: frozenset[Kind] = frozenset()

    def __or__(self, other: "Signs") -> "Signs":
        return Signs(self.traits | other.traits, self.kinds | other.kinds)

    @property
    def order(self) -> bool:
        """Whether one sentence with these signs is an order."""
        return weigh(self.traits) >= ENOUGH or bool(language_of_order(self.kinds))

    @property
    def some(self) -> bool:
        """Whether it takes little more to make an order of it."""
        languages = [language for language, _ in self.kinds]
        return len(self.traits) >= 2 or any(languages.count(one) >= 2 for one in languages)

    @property
    def order_together(self) -> bool:
        """Whether two sentences with these signs are an order together."""
        together = weigh(self.traits) >= ENOUGH_TOGETHER
        return together or bool(language_of_order(self.kinds, least=4))


NO_SIGNS: Final = Signs()


def signs_of(
    sentence: str,
    *,
    ways: Sequence[Way] | None = None,
    near_anchor: bool = False,
    kinds: bool = True,
) -> Signs:
    """The signs of a sentence in all its readings together.

    Args:
        kinds: whether to look for the words of many languages.
    """
    inside = kinds and has_words_inside(sentence)
    signs = NO_SIGNS
    for reading in readings(sentence, ways):
        traits = traits_in(reading, near_anchor=near_anchor)
        found = kinds_in(reading, inside=inside) if kinds else frozenset[Kind]()
        signs = signs | Signs(traits, found) if traits or found else signs
    return signs


def orders_among(sentences: Sequence[str], *, ways: Sequence[Way]) -> set[int]:
    """Rows of the sentences that are orders: alone, with a neighbour, or as a run of short lines.

    Args:
        ways: in which they may be read, as `ways_to_read` says of the whole text.
    """
    whole = "\n".join(sentences)
    inside = has_words_inside(whole)
    kinds = any(language_of_order(kinds_in(one, inside=inside)) for one in readings(whole, ways))
    signs = [signs_of(sentence, ways=ways, kinds=kinds) for sentence in sentences]
    alone = {row for row, own in enumerate(signs) if own.order}
    orders = set(alone)
    anchored = [bool(weigh(own.traits)) for own in signs]
    for row, next_row in pairwise(range(len(sentences))):
        if row in alone or next_row in alone:
            continue
        if anchored[row] != anchored[next_row]:
            plain = next_row if anchored[row] else row
            signs[plain] |= signs_of(sentences[plain], ways=ways, near_anchor=True, kinds=kinds)
        if (signs[row] | signs[next_row]).order_together:
            orders |= {row, next_row}
    for run in _short_runs(sentences):
        if signs_of(" ".join(sentences[row] for row in run)[:RUN_CHARS], ways=ways).order:
            orders |= set(run)
    return orders


def goes_along(sentence: str) -> bool:
    """Whether a sentence beside an order is likely a part of it: short, or with signs of one."""
    short = len(sentence.split(maxsplit=BESIDE_WORDS)) <= BESIDE_WORDS
    return short or signs_of(sentence, near_anchor=True).some


def order_across(title: str, sentences: Sequence[str]) -> bool:
    """Whether a title and one of the sentences below it are an order together."""
    own = signs_of(title, near_anchor=True)
    ways = ways_to_read("\n".join(sentences)) if own.some else ()
    return own.some and any(
        (own | signs_of(sentence, ways=ways, near_anchor=True)).order_together
        for sentence in sentences
    )


def _short_runs(sentences: Sequence[str]) -> Iterable[list[int]]:
    """Rows of neighbours that are hardly a word each, RUN or more of them."""
    run: list[int] = []
    for row, sentence in enumerate(sentences):
        if len(sentence.split(maxsplit=SHORT_WORDS)) <= SHORT_WORDS:
            run.append(row)
            continue
        if len(run) >= RUN:
            yield run
        run = []
    if len(run) >= RUN:
        yield run
