"""Checking what an embedding model returned, before anything is stored with it."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from secondhop.errors import ModelError
from secondhop.models.embedder import Vectors

Rows: TypeAlias = Sequence[Sequence[float]] | Vectors
"""As a model returns them: one a text, in order."""


def unit_vectors(rows: Rows, *, count: int, dimension: int | None, source: str) -> Vectors:
    """float32 [count, dim], each row scaled to length 1.

    Args:
        rows: one a text, in order.
        count: how many texts there were.
        dimension: expected length of a row; None when any will do.
        source: who returned the rows, for the message.

    Raises:
        ModelError: wrong number or length of rows, or a row that is all zero or not finite.
    """
    if len(rows) != count:
        raise ModelError(f"{source} returned {len(rows)} vectors for {count} texts")
    if count == 0:
        return np.zeros((0, dimension or 0), dtype=np.float32)
    lengths = {len(row) for row in rows}
    if len(lengths) > 1 or 0 in lengths or (dimension is not None and lengths != {dimension}):
        expected = "equally long vectors" if dimension is None else f"length {dimension}"
        raise ModelError(f"{source} returned vectors of length {sorted(lengths)}, not {expected}")
    vectors = np.asarray(rows, dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(np.isfinite(norms)) or np.any(norms == 0.0):
        raise ModelError(f"{source} returned a vector that is zero or not finite")
    scaled: Vectors = (vectors / norms).astype(np.float32)
    return scaled
