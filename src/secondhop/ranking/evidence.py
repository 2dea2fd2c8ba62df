"""The candidates of a pool as measures of repetition see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, Vectors, row_products


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Candidates with their evidence passages; what a measure does not need may be left out.

    Raises:
        ValueError: a passage index points outside `vectors`, or lengths do not fit.
    """

    vectors: Vectors
    """float32 [n_passages, dim], rows of unit length."""
    passages: Sequence[Sequence[int]]
    """For each candidate the rows of its evidence passages; may be empty."""
    texts: Sequence[str] | None = None
    """[n_passages] the passages' texts."""
    lengths: Sequence[int] | None = None
    """[n_passages] tokens."""
    titles: Sequence[str] | None = None
    """[n_candidates]."""
    topics: Sequence[int] | None = None
    """[n_candidates] cluster of the memory map."""
    parents: Sequence[str] | None = None
    """[n_candidates] what each is a part of (an episode, a folder); "" for none."""

    def __post_init__(self) -> None:
        rows = self.vectors.shape[0]
        if self.rows.size and not (self.rows.min() >= 0 and self.rows.max() < rows):
            raise ValueError(f"passages must be rows of vectors (0..{rows - 1})")
        for name, values in (("texts", self.texts), ("lengths", self.lengths)):
            if values is not None and len(values) != rows:
                raise ValueError(f"{rows} passages need {rows} {name}, got {len(values)}")
        for name, values in (
            ("titles", self.titles),
            ("topics", self.topics),
            ("parents", self.parents),
        ):
            if values is not None and len(values) != self.size:
                raise ValueError(f"{self.size} candidates need as many {name}, got {len(values)}")

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

    def mean_rows(self, values: Floats) -> Floats:
        """[n_candidates, …]: mean over each one's entries of `rows`; 0 without passages."""
        totals = np.zeros((self.size, *values.shape[1:]))
        np.add.at(totals, self.owner, values)
        counts = np.maximum(np.bincount(self.owner, minlength=self.size), 1)
        return np.asarray(totals / counts.reshape(-1, *[1] * (values.ndim - 1)), dtype=np.float64)
