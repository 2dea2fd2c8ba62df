"""Products of many rows: the same two rows give the same number at any position."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secondhop.ranking.arrays import row_products, unit_rows

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 150])
def test_products_are_those_of_the_matrix(count: int) -> None:
    rows = unit_rows(np.random.default_rng(count).normal(size=(count, 12)))

    products = row_products(rows)

    assert products.dtype == np.float32
    assert products == pytest.approx(rows @ rows.T, abs=1e-6)


@given(seeds)
@settings(max_examples=20)
def test_the_last_bit_does_not_depend_on_the_place_of_a_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = unit_rows(rng.normal(size=(90, 33)))
    order = rng.permutation(len(rows))

    products = row_products(rows)

    assert np.array_equal(row_products(rows[order]), products[np.ix_(order, order)])
    assert np.array_equal(products, products.T)
