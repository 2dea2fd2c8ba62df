"""The array types of ranking, and the operations that several algorithms share."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[np.float32]
"""float32 [dim], of unit length."""

Vectors: TypeAlias = npt.NDArray[np.float32]
"""float32 [n, dim], rows of unit length."""

Floats: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]

_TINY = 1e-12

_ROWS_AT_ONCE = 64


def unit_rows(rows: npt.NDArray[np.number]) -> Vectors:
    """Rows scaled to unit length; a row of (nearly) no length becomes exact zeros."""
    exact = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    usable = lengths > _TINY
    return np.where(usable, exact / np.where(usable, lengths, 1.0), 0.0).astype(np.float32)


def products(rows: npt.NDArray[np.float32], others: npt.NDArray[np.float32]) -> Vectors:
    """[n_rows, n_others]: the dot product of each row with each other; cosines for unit rows.

    The product of two rows is the same to the last bit, whatever their positions. And the work
    stays in the calling thread. For a matrix product of this size, a linear algebra library wakes
    threads that then spin while they wait for more work. In a busy server they cost far more than
    they save (with OpenBLAS, 24 rows by 1,200 rows of 384 took 24 ms of processor time instead of
    0.8).
    """
    found: Vectors = np.vecdot(rows[:, np.newaxis], others[np.newaxis])
    return found


def row_products(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """[n, n]: `products` of the rows with themselves, for about half the work."""
    found = np.empty((len(rows), len(rows)), dtype=np.float32)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        end = start + _ROWS_AT_ONCE
        part = products(rows[start:end], rows[start:])
        found[start:end, start:] = part
        found[start:, start:end] = part.T
    return found


def z_scores(scores: Floats, *, least_spread: float = 0.0) -> Floats:
    """Standard scores along the last axis, in the same shape; all 0 if the scores are equal.
    `least_spread`: a smaller standard deviation counts as this."""
    if not scores.size:
        return scores
    spread = np.maximum(scores.std(axis=-1, keepdims=True), least_spread)
    return np.asarray(
        (scores - scores.mean(axis=-1, keepdims=True)) / np.where(spread > 1e-9, spread, np.inf),
        dtype=np.float64,
    )
