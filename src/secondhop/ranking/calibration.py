"""From raw scores to probabilities that a memory is relevant."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats

_MAX_STEPS = 100
_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class LogisticCalibration:
    """score -> 1 / (1 + exp(-(slope · score + intercept))), 0..1."""

    slope: float
    intercept: float

    def __call__(self, scores: npt.ArrayLike) -> Floats:
        """Calibrate scores of any shape."""
        return _sigmoid(self.slope * np.asarray(scores, dtype=np.float64) + self.intercept)


@dataclass(frozen=True, slots=True, eq=False)
class IsotonicCalibration:
    """A rising line through knots; flat before the first and after the last."""

    scores: Floats
    """[n_knots], rising."""
    values: Floats
    """[n_knots], 0..1, never falling."""

    def __call__(self, scores: npt.ArrayLike) -> Floats:
        """Calibrate scores of any shape."""
        exact = np.asarray(scores, dtype=np.float64)
        return np.asarray(np.interp(exact, self.scores, self.values), dtype=np.float64)


Calibration: TypeAlias = LogisticCalibration | IsotonicCalibration
"""score -> probability, 0..1."""


def fit_logistic(
    scores: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    l2: float = 1e-3,
    weights: npt.ArrayLike | None = None,
) -> LogisticCalibration:
    """Fit P(relevant | score) by maximum likelihood with a penalty on the slope (Newton steps).

    minimises mean of -log likelihood + l2/2 · slope², slope per standard deviation of the scores,
    so `l2` means the same on every scale. Weights count examples; only their ratios matter.

    Args:
        labels: 0..1; probabilities are allowed.
        l2: > 0, so that separable labels have a finite answer.

    Raises:
        ValueError: shapes do not fit, l2 is not positive, or labels are all 0 or all 1.

    Source: Platt, in: Advances in Large Margin Classifiers, 1999; Newton's method (IRLS):
    Green, J. R. Stat. Soc. B 46, 1984.
    """
    x, y, share = _checked_examples(scores, labels, weights)
    if not l2 > 0:
        raise ValueError(f"l2 must be positive, got {l2}")
    rate = float(share @ y)
    if not 0 < rate < 1:
        raise ValueError("labels are all 0 or all 1: nothing to calibrate; add the other kind")
    middle = float(share @ x)
    spread = float(np.sqrt(share @ (x - middle) ** 2))
    if spread <= _TOLERANCE * max(1.0, abs(middle)):
        return LogisticCalibration(0.0, float(np.log(rate / (1 - rate))))
    design = np.stack([(x - middle) / spread, np.ones_like(x)], axis=1)
    slope, intercept = _newton(design, y, share=share, l2=l2)
    return LogisticCalibration(slope / spread, intercept - slope * middle / spread)


def _newton(design: Floats, y: Floats, *, share: Floats, l2: float) -> tuple[float, float]:
    """Minimise the penalised loss; steps are halved until they improve it."""
    penalty = np.array([l2, 0.0])
    theta = np.zeros(2)
    loss = _loss(design @ theta, y, share=share)
    for _ in range(_MAX_STEPS):
        p = _sigmoid(design @ theta)
        gradient = design.T @ (share * (p - y)) + penalty * theta
        curvature = share * np.maximum(p * (1 - p), _TOLERANCE)
        hessian = (design * curvature[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        scale = 1.0
        while scale > _TOLERANCE:
            moved = theta - scale * step
            moved_loss = _loss(design @ moved, y, share=share) + float(penalty @ moved**2) / 2
            if moved_loss <= loss:
                break
            scale /= 2
        else:
            break
        done = loss - moved_loss < _TOLERANCE**1.5
        theta, loss = moved, moved_loss
        if done:
            break
    return float(theta[0]), float(theta[1])


def _loss(logits: Floats, y: Floats, *, share: Floats) -> float:
    return float(share @ (np.logaddexp(0.0, logits) - y * logits))


def _sigmoid(logits: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * logits)), dtype=np.float64)


def _checked_examples(
    scores: npt.ArrayLike, labels: npt.ArrayLike, weights: npt.ArrayLike | None
) -> tuple[Floats, Floats, Floats]:
    """Scores, labels and weights as [n] arrays; the weights sum to 1."""
    x = np.asarray(scores, dtype=np.float64)
    y = np.asarray(labels, dtype=np.float64)
    given = np.ones_like(x) if weights is None else np.asarray(weights, dtype=np.float64)
    if x.ndim != 1 or not x.size or x.shape != y.shape or x.shape != given.shape:
        raise ValueError(
            f"scores, labels, weights must be [n > 0], got {x.shape}, {y.shape}, {given.shape}"
        )
    if not (np.isfinite(x).all() and ((y >= 0) & (y <= 1)).all()):
        raise ValueError("scores must be finite and labels lie in 0..1")
    if not (np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0):
        raise ValueError("weights must be finite, not negative, and not all 0")
    return x, y, given / given.sum()


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
