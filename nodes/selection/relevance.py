"""Two searches → one calibrated relevance."""

import numpy as np

from secondhop.ranking.arrays import Floats
from secondhop.ranking.calibration import Calibration

LEXICAL_FULL = 0.6
"""Normalised BM25 that counts as a full match.

A passage of average length that holds every word of the query once reaches 1 / 2.2 = 0.45;
0.6 takes the words more than once.
"""


LEXICAL_ALONE = 0.9
"""What a full match of words is worth where no cosine is known, because the dense search failed."""


def calibrated_relevance(
    cosines: Floats,
    lexical: Floats,
    *,
    shares: tuple[float, float],
    calibration: Calibration,
) -> Floats:
    """dense share · calibrated cosine + lexical share · lexical / LEXICAL_FULL, 0..1.

    Arrays of one shape. The lexical score is 0 for a passage that holds no word of the query; the
    cosine NaN where the dense search failed: the words then count alone.
    """
    dense = np.where(cosines > 0, calibration(cosines), 0.0)
    matched = np.minimum(1.0, lexical / LEXICAL_FULL)
    both = shares[0] * dense + shares[1] * matched
    return np.where(np.isnan(cosines), LEXICAL_ALONE * matched, both)
