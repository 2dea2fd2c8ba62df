"""Literal repetition: how many of a text's word shingles another text contains."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import count

import numpy as np

from secondhop.ranking.arrays import Floats, Indices
from secondhop.ranking.words import words

_COLUMNS = 4096
"""Shingles a matrix product: bounds the memory at n_texts x this."""


def shingle_overlap(texts: Sequence[str], *, size: int = 3) -> Floats:
    """Containment [n, n]: share of text i's distinct word shingles that text j has too, 0..1.

    containment(i, j) = |S(i) ∩ S(j)| / |S(i)|

    Directed: a short text inside a long one is contained, not the other way round. Scripts
    without spaces go by characters. A text shorter than `size` words is one shingle of its own
    length; a text without words contains nothing and is contained nowhere (0, also with itself).

    Raises:
        ValueError: size is not positive.

    Source: Broder, Compression and Complexity of Sequences 1997, doi:10.1109/SEQUEN.1997.666900.

    >>> shingle_overlap(["one two three four", "zero one two three"])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    if size < 1:
        raise ValueError(f"size must be positive, got {size}")
    shingles = _numbered_shingles(texts, size=size)
    counts = np.array([len(own) for own in shingles], dtype=np.float64)
    shared = _shared_counts(shingles)
    return shared / np.maximum(counts, 1)[:, None]


def _numbered_shingles(texts: Sequence[str], *, size: int) -> list[Indices]:
    """The distinct shingles of each text; equal numbers are equal shingles.

    Words are numbered, then pairs (number so far, next word), until a number is a whole shingle.
    A text with no next word keeps what it has; later numbers start above, so none is met twice.
    """
    word_numbers: defaultdict[str, int] = defaultdict(count().__next__)
    followers = [
        np.array([word_numbers[word] for word in words(text)], dtype=np.intp) for text in texts
    ]
    grown, first_free = list(followers), len(word_numbers)
    for offset in range(1, size):
        longer = [text for text, own in enumerate(followers) if len(own) > offset]
        if not longer:
            break
        pairs = [grown[text][:-1] * len(word_numbers) + followers[text][offset:] for text in longer]
        distinct, numbers = np.unique(np.concatenate(pairs), return_inverse=True)
        ends = np.cumsum([len(own) for own in pairs])
        for text, own in zip(longer, np.split(numbers + first_free, ends[:-1]), strict=True):
            grown[text] = own
        first_free += len(distinct)
    return [np.unique(own) for own in grown]


def _shared_counts(shingles: list[Indices]) -> Floats:
    """[n, n]: how many shingles texts i and j share."""
    n = len(shingles)
    rows = np.repeat(np.arange(n), [len(own) for own in shingles])
    values = np.concatenate([*shingles, np.empty(0, dtype=np.intp)])
    _, columns, texts_with = np.unique(values, return_inverse=True, return_counts=True)
    common = texts_with > 1
    column_of = np.cumsum(common) - 1
    keep = common[columns]
    rows, columns = rows[keep], column_of[columns[keep]]
    shared = np.zeros((n, n), dtype=np.float64)
    for start in range(0, int(common.sum()), _COLUMNS):
        here = (columns >= start) & (columns < start + _COLUMNS)
        has = np.zeros((n, _COLUMNS), dtype=np.float32)
        has[rows[here], columns[here] - start] = 1.0
        shared += has @ has.T
    # shingles of one text only were left out above; they belong on the diagonal
    own_only = np.array([len(own) for own in shingles]) - np.diag(shared)
    shared[np.diag_indices(n)] += own_only
    return shared
