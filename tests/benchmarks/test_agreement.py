"""Labels compared: Cohen's kappa, and sheets that do not give the labels away."""

import pytest
from benchmarks.agreement import PAIRS_FILE, Pair, authors, kappa, sheet

from secondhop.evals.scenario import read_lines

PAIRS = dict(enumerate((pair for _, pair in read_lines(PAIRS_FILE, Pair)), start=1))


def test_kappa_is_that_of_the_textbook() -> None:
    """The example of Cohen 1960: of 50 judgements, 20 + 15 agree and 5 + 10 do not, so 0.4."""
    judged = [(3, 2)] * 20 + [(3, 0)] * 5 + [(1, 2)] * 10 + [(0, 1)] * 15

    assert kappa(judged, weighted=False) == pytest.approx(0.4)
    assert kappa([(n, n) for n in range(4)], weighted=True) == 1.0


def test_a_sheet_shows_every_pair_and_no_label() -> None:
    """This also shows that the pairs in the file still exist."""
    text = "\n".join(sheet(PAIRS))

    assert all(f"--- {number} (" in text for number in PAIRS)
    assert "facet" not in text
    assert set(authors(PAIRS).values()) == {0, 1, 2, 3}
