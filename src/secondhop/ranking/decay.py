"""How much a memory loses with age."""

from typing import Final

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats

FSRS_FACTOR: Final = 19 / 81
"""Makes recency 0.9 after `stability_days`."""

FSRS_POWER: Final = -0.5

LEAST_LINEAR: Final = 0.5
"""What a linear decay leaves of the oldest memory."""


def fsrs_recency(days: npt.ArrayLike, *, stability_days: npt.ArrayLike) -> Floats:
    """Recency 0..1: 1 today, 0.9 after `stability_days`, then ever more slowly towards 0.

    recency = (1 + 19/81 · days / stability) ^ -0.5

    A date in the future counts as today.

    Source: the FSRS-4.5 forgetting curve, Open Spaced Repetition, "The Algorithm", 2023
    (github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm); FSRS: Ye, Su & Cao,
    KDD 2022, doi:10.1145/3534678.3539081.

    >>> float(round(fsrs_recency(30, stability_days=30).item(), 6))
    0.9
    """
    ages = np.maximum(np.asarray(days, dtype=np.float64), 0.0)
    stability = np.asarray(stability_days, dtype=np.float64)
    return np.asarray((1 + FSRS_FACTOR * ages / stability) ** FSRS_POWER, dtype=np.float64)


def linear_recency(days: npt.ArrayLike, *, decay_days: float) -> Floats:
    """Recency 0.5..1: 1 - days / decay_days, but at least 0.5. A date in the future counts as
    today."""
    ages = np.maximum(np.asarray(days, dtype=np.float64), 0.0)
    return np.maximum(LEAST_LINEAR, 1 - ages / decay_days)
