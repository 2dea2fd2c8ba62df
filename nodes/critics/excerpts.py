"""Cuts the texts that a critic reads: the whole text, or its opening and its best sentences."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from secondhop.models.tokens import count_tokens, truncate_to_tokens
from secondhop.prompts.quoting import quoted
from secondhop.ranking.stop_words import STOP_WORDS
from secondhop.ranking.words import words
from secondhop.stores.records import Passage

READ_CHARS = 6_000
"""Most characters read of a memory. Three passages of 400 tokens are shorter, if they are prose."""

GAP = " … "

OPENING = 3
"""The opening of the memory takes at most 1 / `OPENING` of an excerpt."""

CRUMB = 6
"""No further sentence is added to an excerpt if fewer tokens than this are left."""

_PIECE = re.compile(r"(?<=[.!?;。！？])\s+|\n+")


class Sentence(NamedTuple):
    """A sentence, and its number of tokens."""

    text: str
    tokens: int


def excerpts(
    texts: Sequence[str], *, tokens: int, telling: Sequence[Mapping[str, float]]
) -> list[str]:
    """The excerpt of each text, in order; all together have at most `tokens` tokens. Short texts
    are shown whole. The long ones share the rest equally. `telling`: per text {word to look for:
    weight}."""
    whole = [quoted(text[:READ_CHARS]) for text in texts]
    sizes = [count_tokens(text) for text in whole]
    shown = [""] * len(texts)
    left = max(0, tokens)
    shortest_first = sorted(range(len(texts)), key=sizes.__getitem__)
    for place, row in enumerate(shortest_first):
        share = left // (len(texts) - place)
        if sizes[row] <= share:
            shown[row] = whole[row]
            left -= sizes[row]
        else:
            shown[row] = excerpt(whole[row], tokens=share, telling=telling[row])
            left -= count_tokens(shown[row])
    return shown


def joined(passages: Iterable[Passage]) -> str:
    """The text of a memory from these passages, in order, with "…" for gaps.

    Consecutive passages overlap at their margins; the overlap is kept once.
    """
    ordered = sorted(passages, key=lambda passage: passage.ordinal)
    text = ordered[0].text if ordered else ""
    for before, after in pairwise(ordered):
        if after.ordinal > before.ordinal + 1:
            text += GAP + after.text
            continue
        text += "\n" + after.text[margin_of(before.text, after.text) :].lstrip()
    return text


def margin_of(before: str, after: str) -> int:
    """Length of the longest end of `before` with which `after` begins.

    >>> margin_of("one two three", "two three four")
    9
    """
    start = max(0, len(before) - len(after))
    while (start := before.find(after[:1], start)) >= 0:
        if after.startswith(before[start:]):
            return len(before) - start
        start += 1
    return 0


def excerpt(text: str, *, tokens: int, telling: Mapping[str, float]) -> str:
    """Whole sentences of a text, at most `tokens` tokens, in order, with "…" for gaps.

    The opening takes up to a third. The other sentences enter by the weight of their telling words;
    ties go to the earlier one. If no sentence fits, the first one is cut.
    """
    pieces = dict.fromkeys(piece.strip() for piece in _PIECE.split(text))  # without repeated ones
    sentences = [Sentence(piece, count_tokens(piece)) for piece in pieces if piece]
    kept: list[int] = []
    left = tokens
    for row in [*opening(sentences, tokens=tokens // OPENING), *by_news(sentences, telling)]:
        if row not in kept and sentences[row].tokens <= left and left >= CRUMB:
            kept.append(row)
            left -= sentences[row].tokens + 1  # a gap or a space
    while kept and count_tokens(in_order(kept, sentences)) > tokens:
        kept.pop()
    if not kept and sentences:
        return truncate_to_tokens(sentences[0].text, tokens)
    return in_order(kept, sentences)


def in_order(places: Iterable[int], sentences: Sequence[Sentence]) -> str:
    """The sentences at these places, in the order of the text, with "…" for gaps."""
    shown, last = "", -1
    for place in sorted(places):
        join = " " if place == last + 1 else GAP
        shown += (join if shown else "") + sentences[place].text
        last = place
    return shown


def opening(sentences: Sequence[Sentence], *, tokens: int) -> Iterator[int]:
    """Places of the first sentences, as many as fit into `tokens`."""
    for place, sentence in enumerate(sentences):
        tokens -= sentence.tokens + 1
        if tokens < 0:
            return
        yield place


def by_news(sentences: Sequence[Sentence], telling: Mapping[str, float]) -> list[int]:
    """Places of all sentences, those with the highest sum of telling words first."""
    told = [fsum(telling.get(word, 0.0) for word in {*words(one.text)}) for one in sentences]
    return sorted(range(len(sentences)), key=lambda place: -told[place])


def telling_words(texts: Sequence[str]) -> dict[str, float]:
    """{word: 1 / number of texts that contain it}, without stop words.

    >>> sorted(telling_words(["my tax plan", "the plan"]).items())
    [('plan', 0.5), ('tax', 1.0)]
    """
    seen: dict[str, int] = {}
    for text in texts:
        for word in {*words(text)} - STOP_WORDS:
            seen[word] = seen.get(word, 0) + 1
    return {word: 1.0 / times for word, times in seen.items()}
