"""Could a difference between two systems be chance? The paired randomisation test.

Under the null hypothesis it is chance which of the two systems brought which figure of a
question, so that the sign of every difference is a coin's. Smucker, Allan and Carterette, A
Comparison of Statistical Significance Tests for Information Retrieval Evaluation, CIKM 2007,
doi:10.1145/1321440.1321528.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from secondhop.ranking.arrays import Floats

RESAMPLES = 10_000

COUNTED_OUT = 13
"""Up to so many questions with a difference every combination of signs is tried: 8,192."""

SLACK = 1e-12
"""Sums in another order differ in the last bit; they are as extreme all the same."""


def randomisation_p(
    strata: Sequence[Sequence[float]], *, resamples: int = RESAMPLES, seed: int = 0
) -> float:
    """Two-sided p of the mean of the strata's mean differences.

    Exact for few differences; else by drawn signs, (extreme + 1) / (drawn + 1), which is never 0
    (Phipson and Smyth, 2010, doi:10.2202/1544-6115.1585). Questions without a difference say
    nothing; without any at all p is 1.

    Args:
        strata: one row of differences a scenario, one number a question; no row is empty.

    Raises:
        ValueError: there is no stratum, or an empty one.
    """
    if not strata or not all(strata):
        raise ValueError("a test needs strata, and at least one difference in each")
    shares = np.array([d / (len(row) * len(strata)) for row in strata for d in row if d])
    if not len(shares):
        return 1.0
    extreme = abs(shares.sum()) - SLACK
    if len(shares) <= COUNTED_OUT:
        return float((np.abs(all_signs(len(shares)) @ shares) >= extreme).mean())
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(resamples, len(shares)))
    as_extreme = int((np.abs(signs @ shares) >= extreme).sum())
    return (as_extreme + 1) / (resamples + 1)


def all_signs(count: int) -> Floats:
    """float64 [2 ** count, count]: every combination of -1 and 1."""
    return np.array(list(product((1.0, -1.0), repeat=count)), dtype=np.float64)
