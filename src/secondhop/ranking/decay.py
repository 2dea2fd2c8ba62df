"""How much a memory loses with age."""

from typing import Final

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats

FSRS_FACTOR: Final = 19 / 81
"""Makes recency 0.9 after `stability_days`."""

FSRS_POWER: Final = -0.5


def fsrs_recency(days: npt.ArrayLike, *, stability_days: npt.ArrayLike) -> Floats:
    """Recency 0..1: 1 today, 0.9 after `stability_days`, then ever more slowly towards 0.

    recency = (1 + 19/81 · days / stability) ^ -0.5

    A date in the future counts as today.

    Raises:
        ValueError: a stability is not positive, or an age is NaN.

    Source: the FSRS-4.5 forgetting curve, Open Spaced Repetition, "The Algorithm", 2023
    (github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm); FSRS: Ye, Su & Cao,
    KDD 2022, doi:10.1145/3534678.3539081.

    >>> float(round(fsrs_recency(30, stability_days=30).item(), 6))
    0.9
    """
    ages = _ages(days)
    stability = np.asarray(stability_days, dtype=np.float64)
    if not (stability > 0).all():
        raise ValueError("stability_days must be positive")
    return np.asarray((1 + FSRS_FACTOR * ages / stability) ** FSRS_POWER, dtype=np.float64)


def linear_recency(days: npt.ArrayLike, *, decay_days: float, floor: float = 0.5) -> Floats:
    """Recency floor..1: max(floor, 1 - days / decay_days). A date in the future counts as today.

    Raises:
        ValueError: decay_days is not positive, floor is outside 0..1, or an age is NaN.
    """
    if not decay_days > 0:
        raise ValueError(f"decay_days must be positive, got {decay_days}")
    if not 0 <= floor <= 1:
        raise ValueError(f"floor must lie in 0..1, got {floor}")
    return np.maximum(floor, 1 - _ages(days) / decay_days)


def _ages(days: npt.ArrayLike) -> Floats:
    ages = np.asarray(days, dtype=np.float64)
    if np.isnan(ages).any():
        raise ValueError("an age in days is NaN")
    return np.maximum(ages, 0.0)
