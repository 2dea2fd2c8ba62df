"""The array types of ranking, and the two operations that several algorithms share."""

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


def unit_rows(rows: npt.NDArray[np.floating]) -> Vectors:
    """Rows scaled to unit length; a row of (nearly) no length becomes exact zeros."""
    exact = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    usable = lengths > _TINY
    return np.where(usable, exact / np.where(usable, lengths, 1.0), 0.0).astype(np.float32)


def first_best(scores: Floats, *, relevance: Floats | None = None, slack: float = 0.0) -> int:
    """Index of the highest score. Scores within `slack` of it are ties.

    A tie goes to the higher `relevance`, then to the lower index. The slack is there because two
    equal rows may differ in the last bit after a matrix product, depending on where they stand.
    """
    tied = scores >= scores.max() - slack
    if relevance is None:
        return int(np.argmax(tied))
    return int(np.argmax(np.where(tied, relevance, -np.inf)))
