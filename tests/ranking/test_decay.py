"""What age takes from a memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.decay import fsrs_recency, linear_recency

ages = st.floats(0, 1e5)


def test_recency_is_nine_tenths_after_one_stability() -> None:
    assert fsrs_recency([0, 30, 60], stability_days=30) == pytest.approx(
        [1.0, 0.9, (1 + 38 / 81) ** -0.5]
    )


def test_recency_of_the_audits_old_todo() -> None:
    # 90 days at stability 30: the audit's 0.765
    assert fsrs_recency(90, stability_days=30).item() == pytest.approx(0.765, abs=0.002)


def test_stability_may_differ_by_memory() -> None:
    assert fsrs_recency([10, 365], stability_days=[10, 365]) == pytest.approx([0.9, 0.9])


def test_linear_recency_stops_at_its_floor() -> None:
    assert linear_recency([0, 25, 80], decay_days=100) == pytest.approx([1.0, 0.75, 0.5])


@given(ages, ages, st.floats(0.1, 1e4))
def test_older_is_never_worth_more(one: float, other: float, stability: float) -> None:
    young, old = sorted((one, other))
    power = fsrs_recency([young, old], stability_days=stability)
    line = linear_recency([young, old], decay_days=stability, floor=0.2)
    assert 1 >= power[0] >= power[1] > 0
    assert 1 >= line[0] >= line[1] >= 0.2


def test_a_date_in_the_future_counts_as_today() -> None:
    assert fsrs_recency(-5, stability_days=30).item() == 1.0
    assert linear_recency(-5, decay_days=30).item() == 1.0


def test_input_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="stability"):
        fsrs_recency(1, stability_days=0)
    with pytest.raises(ValueError, match="NaN"):
        fsrs_recency(np.nan, stability_days=1)
    with pytest.raises(ValueError, match="decay_days"):
        linear_recency(1, decay_days=0)
    with pytest.raises(ValueError, match="floor"):
        linear_recency(1, decay_days=1, floor=2)
