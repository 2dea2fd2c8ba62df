"""How much candidates say of one another, for all of them or for some."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.coverage import Coverage

seeds = st.integers(0, 2**32 - 1)


def random_coverage(seed: int, *, size: int) -> Coverage:
    """Candidates of none to four units each."""
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(size), rng.integers(0, 5, size))
    return Coverage(rng.random((len(owner), size)), owner)


@given(seeds, st.integers(0, 12))
def test_the_matrix_holds_what_each_candidate_alone_says(seed: int, size: int) -> None:
    coverage = random_coverage(seed, size=size)

    matrix = coverage.matrix()

    assert matrix.shape == (size, size)
    for teller in range(size):
        alone = coverage.of_candidates(coverage.units[:, teller])
        assert matrix[:, teller].tolist() == alone.tolist()
