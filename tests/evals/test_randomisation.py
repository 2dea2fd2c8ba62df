"""The randomisation test, against scipy's and against counting by hand."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from secondhop.evals.randomisation import COUNTED_OUT, randomisation_p

SCIPY: Any = import_module("scipy.stats")
"""It has no types."""

FEW = [0.2, -0.1, 0.3, 0.0, 0.25, 0.1, -0.05, 0.4]


def mean_difference(a: Any, b: Any, axis: int) -> Any:
    return np.mean(a - b, axis=axis)


def by_scipy(differences: list[float]) -> float:
    """Exact two-sided p of the paired test on the mean."""
    found = SCIPY.permutation_test(
        (np.array(differences), np.zeros(len(differences))),
        mean_difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    return float(found.pvalue)


def test_few_differences_give_scipys_exact_p() -> None:
    assert randomisation_p([FEW]) == pytest.approx(by_scipy(FEW), abs=1e-12)
    assert randomisation_p([[-one for one in FEW]]) == pytest.approx(by_scipy(FEW), abs=1e-12)


def test_three_gains_of_one_size_may_be_chance_in_2_of_8_cases() -> None:
    assert randomisation_p([[0.1, 0.1, 0.1]]) == 0.25


def test_many_differences_are_drawn_and_come_near_the_exact_p() -> None:
    generator = np.random.default_rng(3)
    differences = [float(one) for one in generator.normal(0.2, 0.5, size=COUNTED_OUT + 4)]

    drawn = randomisation_p([differences])

    assert drawn == pytest.approx(by_scipy(differences), abs=0.015)
    assert drawn == randomisation_p([differences])


def test_p_is_never_0_and_without_a_difference_it_is_1() -> None:
    assert 0 < randomisation_p([[0.5] * 40]) < 0.001
    assert randomisation_p([[0.0, 0.0], [0.0]]) == 1.0


def test_each_scenario_counts_the_same_whatever_its_size() -> None:
    """One large difference in a small scenario outweighs the many small ones of a large one."""
    small, large = [0.9], [-0.05] * 8

    assert randomisation_p([small, large]) == pytest.approx(1.0)
    assert randomisation_p([small + large]) == pytest.approx(by_scipy(small + large))


@pytest.mark.parametrize("strata", [[], [[0.1], []]])
def test_nothing_to_test_is_an_error(strata: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="at least one difference"):
        randomisation_p(strata)
