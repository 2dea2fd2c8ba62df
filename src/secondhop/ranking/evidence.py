"""The candidates of a pool as the measure of repetition sees them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secondhop.ranking.arrays import Indices, Vectors, row_products


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Candidates with their evidence passages; texts may be left out.

    Raises:
        ValueError: a passage index points outside `vectors`, or texts do not fit.
    """

    vectors: Vectors
    """float32 [n_passages, dim], rows of unit length."""
    passages: Sequence[Sequence[int]]
    """For each candidate the rows of its evidence passages; may be empty."""
    texts: Sequence[str] | None = None
    """[n_passages] the passages' texts."""

    def __post_init__(self) -> None:
        rows = self.vectors.shape[0]
        if self.rows.size and not (self.rows.min() >= 0 and self.rows.max() < rows):
            raise ValueError(f"passages must be rows of vectors (0..{rows - 1})")
        if self.texts is not None and len(self.texts) != rows:
            raise ValueError(f"{rows} passages need {rows} texts, got {len(self.texts)}")

    @property
    def size(self) -> int:
        """Number of candidates."""
        return len(self.passages)

    @cached_property
    def rows(self) -> Indices:
        """Rows of all candidates' passages, one candidate after the other."""
        return np.array([row for own in self.passages for row in own], dtype=np.intp)

    @cached_property
    def owner(self) -> Indices:
        """The candidate of each entry of `rows`."""
        return np.repeat(np.arange(self.size), [len(own) for own in self.passages])

    @cached_property
    def cosines(self) -> Vectors:
        """[n_entries, n_entries]: how near the entries of `rows` are to each other."""
        return row_products(self.vectors[self.rows])
