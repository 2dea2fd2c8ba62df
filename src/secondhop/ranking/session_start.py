"""Scores which memories are worth showing at the start of a session, before any question."""

from typing import Final

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats
from secondhop.ranking.decay import fsrs_recency

OLDEST: Final = 0.2
"""The factor that age leaves when recency is 0."""

POPULARITY: Final = 0.15
"""The share of a score that acceptances can contribute. They raise a score by at most
1 / (1 - 0.15), which offsets 66 days of age at a stability of 30 days."""

POWER: Final = 0.7
FULL: Final = 5.0
"""Strength is full when (effective acceptances)^POWER reaches this: about ten acceptances."""


def session_start_score(
    recency: npt.ArrayLike,
    confidence: npt.ArrayLike,
    strength: npt.ArrayLike,
) -> Floats:
    """0..1: recency counts most, then confidence; acceptances add a little.

    score = (0.2 + 0.8 · r) · (0.85 · c + 0.15 · min(s, c))

    Three measures keep a memory that was popular long ago behind a new one; none is enough alone:
    (0.2 + 0.8 · r) gives recency more weight, min(s, c) keeps popularity below confidence, and s
    itself decays (`accepted_strength`). POPULARITY is so small that 88 days of age outweigh it.

    Args:
        recency: 0..1, from `fsrs_recency`.
        confidence: 0..1.
        strength: 0..1, from `accepted_strength`; counts acceptances only.

    >>> session_start_score([1, 1, 0], [0.5, 0.5, 0.5], [0, 1, 0]).round(3).tolist()
    [0.425, 0.5, 0.085]
    """
    sure = np.asarray(confidence, dtype=np.float64)
    capped = np.minimum(np.asarray(strength, dtype=np.float64), sure)
    age = OLDEST + (1 - OLDEST) * np.asarray(recency, dtype=np.float64)
    return np.asarray(age * ((1 - POPULARITY) * sure + POPULARITY * capped))


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
