import math

import numpy as np
import pytest

from secondhop.errors import ModelError
from secondhop.models.remote_embedder import unit_vectors


def test_rows_are_scaled_to_length_one_as_float32() -> None:
    rows = unit_vectors([[3.0, 4.0], [0.0, 2.0]], count=2, dimension=None, source="m")
    assert rows.dtype == np.float32
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("rows", "count", "dimension", "told"),
    [
        ([[1.0]], 2, None, "1 vectors for 2 texts"),
        ([[1.0], [1.0, 2.0]], 2, None, "equally long"),
        ([[1.0, 2.0]], 1, 3, "length 3"),
        ([list[float]()], 1, None, "equally long"),
        ([[0.0, 0.0]], 1, None, "zero or not finite"),
        ([[math.nan, 1.0]], 1, None, "zero or not finite"),
        ([[math.inf, 1.0]], 1, None, "zero or not finite"),
    ],
)
def test_what_is_not_a_vector_a_text_is_refused(
    rows: list[list[float]], count: int, dimension: int | None, told: str
) -> None:
    with pytest.raises(ModelError, match=f"m returned .*{told}"):
        unit_vectors(rows, count=count, dimension=dimension, source="m")
