"""Two legs → one calibrated relevance."""

import numpy as np

from secondhop.nodes.settings import RankingSettings
from secondhop.ranking.calibration import LogisticCalibration

LEXICAL_FULL = 0.6
"""Normalised BM25 that counts as a full match.

A passage of average length that holds every word of the query once reaches 1 / 2.2 = 0.45;
0.6 takes the words more than once.
"""


def calibrated_relevance(
    cosine: float,
    lexical: float,
    *,
    settings: RankingSettings,
    calibration: LogisticCalibration,
) -> float:
    """dense_weight · calibrated cosine + lexical_weight · lexical / LEXICAL_FULL, 0..1.

    `cosine` is 0 for a passage that only the lexical leg found, `lexical` 0 for the other way.
    """
    dense = float(calibration(np.float64(cosine))) if cosine > 0 else 0.0
    matched = min(1.0, lexical / LEXICAL_FULL)
    return settings.dense_weight * dense + settings.lexical_weight * matched
