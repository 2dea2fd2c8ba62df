"""Which memories a newer one replaces, and the words in which it says so."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Final

import numpy as np

from secondhop.ranking.arrays import Floats
from secondhop.ranking.change_words import Change, change_told, told_words, wish_told
from secondhop.ranking.identifiers import identifiers, identifiers_in
from secondhop.ranking.stop_words import STOP_WORDS

NEAR_BACK: Final = 2
"""The older memory must be among this many nearest of what is older than the newer one."""

LEAST_DAYS: Final = 1.0
"""Between the two: within a day people tell one thing twice."""

RARE: Final = 0.67
"""A word is telling when at most RARE · sqrt(memories) of them hold it."""

WISH_SHARE: Final = 0.92
"""Of the threshold, where each is the other's nearest and both say how things are wanted."""

RESTATED: Final = 0.6
"""Share of the smaller memory's words, by weight, from which on the two say the same again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A memory as the detector sees it."""

    title: str
    text: str
    day: float
    """When it was written, in days since any fixed moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersession:
    """A newer memory, and why it seems to replace an older one."""

    newer: int
    nearness: float
    because: str
    """ "“is gone” beside “openvpn”", or "a new version of “status-page.md”"."""


def supersessions(
    told: Sequence[Told], near: Floats, *, threshold: float
) -> dict[int, Supersession]:
    """{older memory: what replaces it}.

    j replaces i when it is the nearest of all that were written later, near(i, j) >= threshold,
    i is one of the two nearest to j among what is older than it, they lie a day or more apart, and
    j says so: words of change stand beside a word of i that few memories hold, or in a heading
    beside any word of i; or it has the same title, which no third memory has.

    Two more signs speak for themselves. Both say how the writer wants things done, and each is the
    other's nearest: then WISH_SHARE of the threshold is enough. And words of change beside an
    identifier that no third memory holds ("9f3b was revoked"): then nearness does not matter.

    Args:
        near: [n, n] nearness, as cosine: the best over the passages of both.
        threshold: that of `successors`.

    Source: ours; measured with `secondhop eval supersession`.
    """
    words = [told_words(f"{one.title}\n{one.text}") for one in told]
    held = Counter(word for own in words for word in own)
    titles = Counter(one.title.casefold() for one in told)
    days = np.array([one.day for one in told])
    most = max(2.0, RARE * sqrt(len(told)))
    found: dict[int, Supersession] = {}
    for old, new in nearest_later(near, days, threshold=threshold):
        because = reason(told[old], told[new], words[old], words[new], held, titles, most=most)
        if because:
            found[old] = Supersession(newer=new, nearness=float(near[old, new]), because=because)
    for old, new in nearest_later(near, days, threshold=WISH_SHARE * threshold, back=1):
        if old not in found and (because := both_wish(told[old], told[new])):
            found[old] = Supersession(newer=new, nearness=float(near[old, new]), because=because)
    for old, new, because in named_changes(told, days):
        if old not in found:
            found[old] = Supersession(newer=new, nearness=float(near[old, new]), because=because)
    return found


def nearest_later(
    near: Floats, days: Floats, *, threshold: float, back: int = NEAR_BACK
) -> list[tuple[int, int]]:
    """(memory, the nearest of the later ones): pairs that belong together."""
    pairs: list[tuple[int, int]] = []
    for old in range(len(days)):
        later = np.flatnonzero(days > days[old])
        if not len(later):
            continue
        new = int(later[near[old, later].argmax()])
        nearness = near[old, new]
        if nearness < threshold or days[new] - days[old] < LEAST_DAYS:
            continue
        older = days < days[new]
        if int((near[new, older] > nearness).sum()) < back:
            pairs.append((old, new))
    return pairs


def reason(
    older: Told,
    newer: Told,
    old_words: set[str],
    new_words: set[str],
    held: Mapping[str, int],
    titles: Mapping[str, int],
    *,
    most: float,
) -> str:
    """Why the newer one seems to replace the older; "" when it does not say so."""
    title = older.title.casefold()
    if title and title == newer.title.casefold() and titles[title] == 2:
        return f"a new version of “{older.title}”"
    if restated(old_words, new_words, held):
        return ""
    change = change_told(
        f"{newer.title}\n{newer.text}",
        is_about=lambda word: word in old_words and held[word] <= most,
    )
    if change is None:
        telling = old_words - STOP_WORDS
        change = change_told(headings(newer), is_about=telling.__contains__)
    return because_of(change) if change else ""


def because_of(change: Change) -> str:
    """In a few words."""
    return f"“{change.words}” beside “{change.about}”"


def headings(one: Told) -> str:
    """The title and the Markdown headings, a line each."""
    lines = (line.lstrip("# ") for line in one.text.splitlines() if line.startswith("#"))
    return "\n".join([one.title.replace("-", " "), *lines])


def both_wish(older: Told, newer: Told) -> str:
    """Why the newer wish takes the place of the older; "" where one of the two is none."""
    if not wish_told(older.text):
        return ""
    words = wish_told(newer.text)
    return f"“{words}”, as the older one" if words else ""


def names_one(names: set[str], word: str) -> bool:
    """Whether a word is one of the identifiers, or a path with one in it."""
    return not names.isdisjoint(identifiers_in(word))


def named_changes(told: Sequence[Told], days: Floats) -> list[tuple[int, int, str]]:
    """(older, newer, why) of pairs that alone hold an identifier whose change the newer tells."""
    names = [identifiers(f"{one.title}\n{one.text}") for one in told]
    holders: dict[str, list[int]] = {}
    order: list[int] = np.argsort(days, kind="stable").tolist()
    for index in order:
        for name in sorted(names[index]):
            holders.setdefault(name, []).append(index)
    shared: dict[tuple[int, int], set[str]] = {}
    for name, pair in holders.items():
        if len(pair) == 2 and days[pair[1]] - days[pair[0]] >= LEAST_DAYS:
            shared.setdefault((pair[0], pair[1]), set()).add(name)
    found: list[tuple[int, int, str]] = []
    for (old, new), both in sorted(shared.items()):
        text = f"{told[new].title}\n{told[new].text}"
        change = change_told(text, is_about=partial(names_one, both))
        if change:
            found.append((old, new, because_of(change)))
    return found


def restated(old: set[str], new: set[str], held: Mapping[str, int]) -> bool:
    """Whether the newer says again what the older said; rare words weigh more."""

    def weight(own: set[str]) -> float:
        return sum(1.0 / held[word] for word in own)

    return weight(old & new) >= RESTATED * max(1e-9, min(weight(old), weight(new)))
