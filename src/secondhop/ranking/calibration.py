"""Turns raw scores into probabilities that a memory is relevant."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats


@dataclass(frozen=True, slots=True)
class LogisticCalibration:
    """score -> 1 / (1 + exp(-(slope · score + intercept))), 0..1."""

    slope: float
    intercept: float

    def __call__(self, scores: npt.ArrayLike) -> Floats:
        """Calibrate scores of any shape."""
        logits = self.slope * np.asarray(scores, dtype=np.float64) + self.intercept
        return np.asarray(0.5 * (1.0 + np.tanh(0.5 * logits)), dtype=np.float64)  # never overflows


LEXICAL_FULL = 0.6
"""Normalised BM25 that counts as a full match.

A passage of average length that holds every word of the query once scores 1 / 2.2 = 0.45. To score
0.6, it must repeat some.
"""

LEXICAL_ALONE = 0.9
"""The relevance of a full match of words when the dense search failed and there is no cosine."""


def calibrated_relevance(
    cosines: Floats,
    lexical: Floats,
    *,
    shares: tuple[float, float],
    calibration: LogisticCalibration,
) -> Floats:
    """dense share · calibrated cosine + lexical share · lexical / LEXICAL_FULL, 0..1.

    All arrays have the same shape. The lexical score of a passage without any word of the query
    is 0. A cosine is NaN if the dense search failed; the result is then LEXICAL_ALONE · lexical /
    LEXICAL_FULL. Each lexical / LEXICAL_FULL is at most 1.
    """
    dense = np.where(cosines > 0, calibration(cosines), 0.0)
    matched = np.minimum(1.0, lexical / LEXICAL_FULL)
    both = shares[0] * dense + shares[1] * matched
    return np.where(np.isnan(cosines), LEXICAL_ALONE * matched, both)
