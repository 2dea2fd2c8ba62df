"""From raw scores to probabilities that a memory is relevant, and from two legs to one score."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.ranking.arrays import Floats, Mask

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


@dataclass(frozen=True, slots=True, kw_only=True)
class LegWeights:
    """How the calibrated scores of the dense and the lexical leg become one."""

    dense: float = 0.7
    lexical: float = 0.3
    dense_alone: float = 0.9
    """What a dense score is worth by itself."""
    lexical_alone: float = 0.5
    """What a lexical score is worth by itself."""

    def __post_init__(self) -> None:
        shares = (self.dense, self.lexical, self.dense_alone, self.lexical_alone)
        if not all(0 <= share <= 1 for share in shares) or self.dense + self.lexical > 1 + 1e-9:
            raise ValueError(f"weights must lie in 0..1, dense + lexical at most 1, got {self}")


_DEFAULTS = LegWeights()


def weighted(
    dense: npt.ArrayLike, lexical: npt.ArrayLike, *, weights: LegWeights = _DEFAULTS
) -> Floats:
    """The plain sum 0.7 · dense + 0.3 · lexical, of calibrated scores 0..1; 0 for a missing leg.

    Beware: at `min_score` 0.35 a perfect keyword-only hit (0.3) never passes, and a good
    semantic match without a shared word (dense 0.8) gets 0.56.
    """
    return weights.dense * _score(dense) + weights.lexical * _score(lexical)


def combine(
    dense: npt.ArrayLike, lexical: npt.ArrayLike, *, weights: LegWeights = _DEFAULTS
) -> Floats:
    """One score 0..1 from both legs: the sum, or one leg alone at a discount if that is more.

    combined = max( 0.7 · dense + 0.3 · lexical, 0.9 · dense, 0.5 · lexical )

    Rises with either leg, and a missing leg (0) cannot push a memory below what the other is
    worth: with `min_score` 0.35 the dense leg alone passes from 0.39, the lexical from 0.70. An
    exact match (0.9, 0.8) scores 0.87, a semantic one without a shared word (0.8, 0) 0.72.

    Args:
        dense: calibrated, 0..1; 0 when that leg did not find it.
        lexical: likewise; shapes broadcast.

    Raises:
        ValueError: a score lies outside 0..1.

    Source: ours, over the 0.7/0.3 sum of the reference analysis of retrieval relevance.
    """
    alone = np.maximum(weights.dense_alone * _score(dense), weights.lexical_alone * _score(lexical))
    return np.maximum(weighted(dense, lexical, weights=weights), alone)


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


def fit_isotonic(
    scores: npt.ArrayLike, labels: npt.ArrayLike, *, weights: npt.ArrayLike | None = None
) -> IsotonicCalibration:
    """The never-falling step function nearest to the labels, read with lines between its steps.

    Pool adjacent violators: equal scores are averaged, then neighbours that fall are pooled.

    Raises:
        ValueError: shapes do not fit, or there are no examples.

    Source: Ayer et al., Ann. Math. Statist. 26, 1955, doi:10.1214/aoms/1177728423; for
    calibration: Zadrozny & Elkan, KDD 2002, doi:10.1145/775047.775151.
    """
    x, y, share = _checked_examples(scores, labels, weights)
    levels, group = np.unique(x, return_inverse=True)
    mass = np.bincount(group, weights=share)
    used = mass > 0
    blocks: list[tuple[float, float, int, int]] = []  # mean, mass, first and last level
    means = np.bincount(group, weights=share * y)[used] / mass[used]
    for level, (own_mean, own_mass) in enumerate(zip(means, mass[used], strict=True)):
        mean, weight, first = float(own_mean), float(own_mass), level
        while blocks and blocks[-1][0] >= mean:
            before, heavy, first, _ = blocks.pop()
            mean = (before * heavy + mean * weight) / (heavy + weight)
            weight += heavy
        blocks.append((mean, weight, first, level))
    knots = [(level, mean) for mean, _, first, last in blocks for level in sorted({first, last})]
    values = np.clip(np.array([mean for _, mean in knots]), 0.0, 1.0)
    return IsotonicCalibration(levels[used][[level for level, _ in knots]], values)


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


def _score(values: npt.ArrayLike) -> Floats:
    scores = np.asarray(values, dtype=np.float64)
    inside: Mask = (scores >= 0) & (scores <= 1)
    if not inside.all():
        raise ValueError("scores must lie in 0..1; calibrate them first")
    return scores


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
