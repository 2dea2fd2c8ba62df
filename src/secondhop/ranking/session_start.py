"""Scores what is worth showing at the start of a session, before any question."""

from typing import Final

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats

OLDEST: Final = 0.2
"""What is left of a score when recency is 0."""

POPULARITY: Final = 0.15
"""Share of a score that acceptances can make. At most they lift by 1 / (1 - 0.15), which is what 66
days of age take at a stability of 30 days."""


def session_start_score(
    recency: npt.ArrayLike,
    confidence: npt.ArrayLike,
    strength: npt.ArrayLike,
) -> Floats:
    """0..1: recency decides, confidence weighs, and acceptances add a little.

    score = (0.2 + 0.8 · r) · (0.85 · c + 0.15 · min(s, c))

    The reference audit of session starts proposes three of these cures, and each alone fails its
    own example at a confidence of 0.75: (0.2 + 0.8 · r) makes recency heavier; min(s, c) keeps
    popularity below confidence; s itself is decayed (`accepted_strength`). All three are in here,
    and what popularity can make is so small that 88 days of age outweigh it. (Its fourth, a boost
    for what is younger than a week, is a step where a curve does.)

    Args:
        recency: 0..1, as `fsrs_recency`.
        confidence: 0..1.
        strength: 0..1, as `accepted_strength`; of acceptances alone.

    Source: reference audit of session starts, bugs 2 and 3; design.md, "Brain".

    >>> session_start_score([1, 1, 0], [0.5, 0.5, 0.5], [0, 1, 0]).round(3).tolist()
    [0.425, 0.5, 0.085]
    """
    sure = np.asarray(confidence, dtype=np.float64)
    capped = np.minimum(np.asarray(strength, dtype=np.float64), sure)
    age = OLDEST + (1 - OLDEST) * np.asarray(recency, dtype=np.float64)
    return np.asarray(age * ((1 - POPULARITY) * sure + POPULARITY * capped))
