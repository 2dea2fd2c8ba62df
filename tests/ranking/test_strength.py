"""Being accepted makes a memory stronger; that fades, and being shown does nothing."""

import pytest

from secondhop.ranking.strength import accepted_strength


def test_what_was_never_accepted_has_no_strength() -> None:
    assert accepted_strength(0, 0, stability_days=30).item() == 0.0


def test_strength_is_full_after_about_ten_and_grows_with_each() -> None:
    grown = accepted_strength(list(range(15)), 0, stability_days=30)
    assert (grown[1:10] > grown[:9]).all()
    assert grown[9] < 1.0 < grown[10] + 0.01


def test_old_acceptances_count_for_less_than_in_a_single_decay() -> None:
    fresh, old = accepted_strength([5, 5], [0, 120], stability_days=30)
    assert old < fresh * (1 + 19 / 81 * 120 / 30) ** -0.5


def test_counts_below_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        accepted_strength(-1, 0, stability_days=30)
