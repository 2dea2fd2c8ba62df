"""How well probabilities fit what came true: Brier score, log loss, and a reliability table.

Brier, Verification of forecasts expressed in terms of probability, Mon. Weather Rev. 78, 1950.
The table: DeGroot and Fienberg, The comparison and evaluation of forecasters, The Statistician 32,
1983.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats

BINS = 10
"""Of the reliability table: 0 to 0.1, 0.1 to 0.2, …"""

CERTAIN = 1e-6
"""Log loss takes no probability nearer to 0 or 1: one wrong certainty would make it infinite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityRow:
    """The pairs whose probability fell into one bin."""

    low: float
    high: float
    pairs: int
    said: float
    """Their mean probability."""
    relevant: float
    """The share that was relevant: the same as `said`, if the scale is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of probabilities for labelled pairs, each with its weight."""

    brier: float
    """Mean squared error, 0..1; lower is better."""
    log_loss: float
    """Mean of -ln(probability of what was the case); lower is better."""
    reliability: Sequence[ReliabilityRow]
    """Bins that hold a pair, lowest first."""

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "brier": self.brier,
            "log_loss": self.log_loss,
            "reliability": [asdict(row) for row in self.reliability],
        }


def figures_of(
    said: npt.ArrayLike, relevant: npt.ArrayLike, *, weights: npt.ArrayLike | None = None
) -> Figures:
    """Figures of probabilities, float [n > 0], for labels of 0 or 1.

    Args:
        weights: of the pairs, above 0; only their ratios matter. None: all the same.

    Raises:
        ValueError: there is no pair, or not one label a probability.
    """
    p = np.asarray(said, dtype=np.float64)
    y = np.asarray(relevant, dtype=np.float64)
    if p.ndim != 1 or not p.size or p.shape != y.shape:
        raise ValueError(f"probabilities and labels must be [n > 0], got {p.shape}, {y.shape}")
    w = np.ones_like(p) if weights is None else np.asarray(weights, dtype=np.float64)
    safe = np.clip(p, CERTAIN, 1 - CERTAIN)
    row_of = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    return Figures(
        brier=mean((p - y) ** 2, w),
        log_loss=mean(-(y * np.log(safe) + (1 - y) * np.log(1 - safe)), w),
        reliability=[
            ReliabilityRow(
                low=n / BINS,
                high=(n + 1) / BINS,
                pairs=int((row_of == n).sum()),
                said=mean(p[row_of == n], w[row_of == n]),
                relevant=mean(y[row_of == n], w[row_of == n]),
            )
            for n in range(BINS)
            if (row_of == n).any()
        ],
    )


def mean(values: Floats, weights: Floats) -> float:
    """The weighted mean."""
    return float(np.average(values, weights=weights))
