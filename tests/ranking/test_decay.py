"""How much age takes from a memory's score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.decay import fsrs_recency, linear_recency

ages = st.floats(0, 1e5)


def test_recency_is_nine_tenths_after_one_stability() -> None:
    assert fsrs_recency([0, 30, 60], stability_days=30) == pytest.approx(
        [1.0, 0.9, (1 + 38 / 81) ** -0.5]
    )


@given(ages, ages, st.floats(0.1, 1e4))
def test_older_is_never_worth_more(one: float, other: float, stability: float) -> None:
    young, old = sorted((one, other))
    power = fsrs_recency([young, old], stability_days=stability)
    line = linear_recency([young, old], decay_days=stability)
    assert 1 >= power[0] >= power[1] > 0
    assert 1 >= line[0] >= line[1] >= 0.5


def test_a_date_in_the_future_counts_as_today() -> None:
    assert fsrs_recency(-5, stability_days=30).item() == 1.0
    assert linear_recency(-5, decay_days=30).item() == 1.0
