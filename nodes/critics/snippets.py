"""The part of a memory's evidence that a critic reads: what fits, the telling sentences first."""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from secondhop.models.tokens import count_tokens, truncate_to_tokens
from secondhop.nodes.critics.quoting import quoted
from secondhop.ranking.words import words

PASSAGES = 2
"""Evidence passages of a memory that a critic may read from."""

PASSAGE_CHARS = 3_000
"""Of a passage; one of 400 tokens is shorter, unless it is hardly text."""

GAP = " … "

CRUMB = 6
"""Tokens; what is left of a share below it is not worth another look."""

_PIECE = re.compile(r"(?<=[.!?;。！？])\s+|\n+")


class Sentence(NamedTuple):
    """A sentence of a text that others know: where it stands, and what it is chosen by."""

    start: int
    end: int
    tokens: int
    words: "array[int]"
    """Hashes of its distinct words, of this process: no word outlives the memory it is from."""


def fair_shares(wanted: Sequence[int], *, total: int) -> list[int]:
    """What each may have of `total`: what the short ones leave, the long ones share.

    >>> fair_shares([10, 50, 90], total=100)
    [10, 45, 45]
    """
    shares = [0] * len(wanted)
    left, waiting = max(0, total), sorted(range(len(wanted)), key=lambda row: wanted[row])
    while waiting:
        row = waiting.pop(0)
        shares[row] = min(wanted[row], left // (len(waiting) + 1))
        left -= shares[row]
    return shares


def snippet(texts: Sequence[str], *, tokens: int, telling: Mapping[str, float]) -> str:
    """At most `tokens` tokens of sentences, in the order of the text, gaps shown as "…".

    Sentences with more telling words (by weight) enter first, then earlier ones; what is left
    out is left out whole, but for a first sentence that is too long by itself.

    Args:
        texts: passages, best first, quoted already.
        telling: weight of a word of the question or of a search.
    """
    pieces = [(text, sentence) for text in texts for sentence in sentences_of(text)]
    weights = {hash(word): weight for word, weight in telling.items()}
    # stable: of equal ones the earlier; fsum: hashes have no order, and a sum of floats has
    told = [-fsum([weights[w] for w in one.words if w in weights]) for _, one in pieces]
    order = sorted(range(len(pieces)), key=told.__getitem__)
    kept: set[int] = set()
    left = tokens
    for row in order:
        if left < CRUMB:
            break
        cost = pieces[row][1].tokens + 2  # a gap or a space
        if cost <= left:
            kept.add(row)
            left -= cost
    if not kept:
        return truncate_to_tokens(piece(*pieces[order[0]]), tokens) if order else ""
    rows = sorted(kept)
    shown = piece(*pieces[rows[0]])
    for before, row in pairwise(rows):
        shown += (" " if row == before + 1 else GAP) + piece(*pieces[row])
    return shown


def piece(text: str, sentence: Sentence) -> str:
    """The words of a sentence of `text`."""
    return text[sentence.start : sentence.end]


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text, in order."""
    return tuple(
        Sentence(
            start,
            end,
            count_tokens(text[start:end]),
            array("q", dict.fromkeys(map(hash, words(text[start:end])))),
        )
        for start, end in spans(text)
        if text[start:end].strip()
    )


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where its pieces begin and end."""
    start = 0
    for gap in _PIECE.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def telling_words(texts: Sequence[str]) -> dict[str, float]:
    """Words of the question and the searches; one that many searches hold weighs less.

    >>> telling_words(["my goals", "my plan"])["goals"], telling_words(["my a", "my b"])["my"]
    (1.0, 0.5)
    """
    seen: dict[str, int] = {}
    for text in texts:
        for word in set(words(text)):
            seen[word] = seen.get(word, 0) + 1
    return {word: 1.0 / times for word, times in seen.items()}


def readable(evidence: Sequence[str]) -> list[str]:
    """The passages that a critic may read, quoted."""
    return [quoted(text[:PASSAGE_CHARS]) for text in evidence[:PASSAGES]]
