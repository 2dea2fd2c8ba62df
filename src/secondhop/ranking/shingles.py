"""Literal repetition: how many of a text's word shingles another text contains."""

from collections.abc import Sequence

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, row_products
from secondhop.ranking.words import words
from secondhop.text_cache import TextCache

SIZE = 3
"""Words of a shingle."""

_COLUMNS = 4096
"""Shingles per matrix product; this bounds the matrix at n_texts × _COLUMNS."""

_BINS = 1 << 16
"""Bins for a first, cheap comparison; a typical pool has some 20,000 shingles."""

_TEXTS_KEPT = 4096
"""Texts whose shingles are kept: some 8 MB for passages of usual length."""


def shingle_overlap(texts: Sequence[str]) -> Floats:
    """Containment [n, n]: the share of text i's distinct word shingles that text j has, 0..1.

    containment(i, j) = |S(i) ∩ S(j)| / |S(i)|

    It is directed: a long text contains its short part, not the other way round. In scripts
    without spaces, each character counts as a word. A text shorter than `SIZE` words is a single
    shingle. A text without words contains nothing and is contained nowhere (0, even with itself).

    Source: Broder, Compression and Complexity of Sequences 1997, doi:10.1109/SEQUEN.1997.666900.

    >>> shingle_overlap(["one two three four", "zero one two three"])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    shingles = [_shingles(text) for text in texts]
    counts = np.array([len(own) for own in shingles], dtype=np.float64)
    shared = _shared_counts(shingles)
    return shared / np.maximum(counts, 1)[:, None]


def _hashes(text: str) -> Indices:
    """The distinct shingles of a text as 64-bit hashes, valid in this process only.

    Python's hash of a tuple of words makes two different shingles collide about once in 10^9 pools.
    """
    own = words(text)
    if not own:
        return np.empty(0, dtype=np.int64)
    whole = [tuple(own)] if len(own) < SIZE else zip(*(own[n:] for n in range(SIZE)), strict=False)
    return np.fromiter(set(map(hash, whole)), dtype=np.int64)


_shingles = TextCache(_hashes, size=_TEXTS_KEPT)
"""`_hashes`, remembered because one recall asks for the same passages several times."""


def _shared_counts(shingles: list[Indices]) -> Floats:
    """[n, n]: how many shingles texts i and j share."""
    n = len(shingles)
    rows = np.repeat(np.arange(n), [len(own) for own in shingles])
    values = np.concatenate([*shingles, np.empty(0, dtype=np.int64)])
    # most shingles occur in one text only; one that is alone in its bin need not be sorted
    bins = values & (_BINS - 1)
    shares = np.bincount(bins, minlength=_BINS)[bins] > 1
    rows, values = rows[shares], values[shares]
    _, columns, texts_with = np.unique(values, return_inverse=True, return_counts=True)
    common = texts_with > 1
    column_of = np.cumsum(common) - 1
    keep = common[columns]
    rows, columns = rows[keep], column_of[columns[keep]]
    shared = np.zeros((n, n), dtype=np.float64)
    total = int(common.sum())
    for start in range(0, total, _COLUMNS):
        here = (columns >= start) & (columns < start + _COLUMNS)
        has = np.zeros((n, min(_COLUMNS, total - start)), dtype=np.float32)
        has[rows[here], columns[here] - start] = 1.0
        shared += row_products(has)
    # the diagonal also counts the shingles of one text only, which were left out above
    own_only = np.array([len(own) for own in shingles]) - np.diag(shared)
    shared[np.diag_indices(n)] += own_only
    return shared
