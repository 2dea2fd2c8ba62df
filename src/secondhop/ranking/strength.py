"""How much acceptances have strengthened a memory."""

from typing import Final

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats
from secondhop.ranking.decay import fsrs_recency

POWER: Final = 0.7
FULL: Final = 5.0
"""Strength is full when (effective acceptances)^POWER reaches this: about ten acceptances."""


def accepted_strength(
    accepted: npt.ArrayLike, days_since: npt.ArrayLike, *, stability_days: npt.ArrayLike
) -> Floats:
    """0..1; 0 for a memory that was never accepted. Age counts twice.

    strength = min((n · r)^0.7 / 5, 1) · r, with r = recency of the last acceptance.

    Only acceptances count. If being retrieved or shown counted, memories would be shown again
    because they were shown before.

    >>> accepted_strength([0, 10, 10], [0, 0, 365], stability_days=30).round(2).tolist()
    [0.0, 1.0, 0.32]
    """
    recency = fsrs_recency(days_since, stability_days=stability_days)
    counts = np.asarray(accepted, dtype=np.float64)
    return np.asarray(np.minimum((counts * recency) ** POWER / FULL, 1.0) * recency)
