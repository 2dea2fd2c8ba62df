"""Calibrated relevance fitted on labelled pairs, and how it does on pairs that it has not seen.

Each scenario is left out in turn; the figures are of the pairs left out, each predicted by a fit on
the others. With a single scenario its questions are left out in five parts. They share a memory, so
those figures are optimistic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from secondhop.errors import UsageError
from secondhop.evals.calibrate_pairs import Pair
from secondhop.nodes.selection.scale_file import calibration_document, scale_document
from secondhop.ranking.arrays import Floats
from secondhop.ranking.calibration import Calibration, LogisticCalibration, fit_logistic

QUESTION_FOLDS = 5
"""Parts into which the questions of a single scenario fall."""

ALWAYS_THE_SAME = "always the same"
"""The scale that gives every pair the same relevance."""

SHARE = 0.3
"""Of the weight that relevant pairs have, however few they are.

How many of the memories found are relevant depends on the size of the store and on how deep one
looks. A probability that followed it would mean another thing in every store. With 0.3 the default
`min_score` keeps its meaning.
"""

CERTAIN = 1e-6
"""Log loss takes no probability nearer to 0 or 1: one wrong certainty would make it infinite."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How well probabilities fit what came true; both are better when lower."""

    brier: float
    """Mean squared error, 0..1: Brier, Monthly Weather Review 78, 1950."""
    log_loss: float
    """Mean of -ln(probability of what was the case)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport:
    """A fitted scale, and figures of pairs that it was not fitted on."""

    embedder_id: str
    folds: Mapping[str, int]
    """{fold: pairs}."""
    by_question: bool
    """True: the folds are parts of one scenario."""
    relevant: int
    """Pairs with a relevant memory."""
    held_out: Figures
    """The result: of this way to fit, on what was left out."""
    beside: Mapping[str, Figures]
    """{name: figures} of scales that were not fitted here, on the same pairs."""
    calibration: LogisticCalibration
    """Fitted on all pairs; there is no honest figure of this one."""

    @property
    def pairs(self) -> int:
        """How many there are."""
        return sum(self.folds.values())

    def file(self) -> dict[str, Any]:
        """The scale file, with how it came about."""
        return scale_document(
            self.calibration,
            embedder_id=self.embedder_id,
            fitted={
                "on": list(self.folds),
                "pairs": self.pairs,
                "relevant": self.relevant,
                "held_out_brier": round(self.held_out.brier, 4),
                "held_out_log_loss": round(self.held_out.log_loss, 4),
            },
        )

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "embedder": self.embedder_id,
            "left_out": "questions" if self.by_question else "scenarios",
            "folds": dict(self.folds),
            "pairs": self.pairs,
            "relevant": self.relevant,
            "held_out": asdict(self.held_out),
            "beside": {name: asdict(figures) for name, figures in self.beside.items()},
            "calibration": calibration_document(self.calibration),
        }


def calibrated(
    pairs: Sequence[Pair],
    *,
    embedder_id: str,
    known: Mapping[str, Calibration] | None = None,
) -> CalibrationReport:
    """Fit a calibration, and report how well fits like it do on pairs left out.

    Args:
        known: calibrations by name, to show beside it.

    Raises:
        UsageError: nothing can be left out, the labels are all alike, or nearer memories are not
            likelier to be relevant.
    """
    folds = folds_of(pairs)
    names = np.array(folds)
    x = np.array([pair.cosine for pair in pairs])
    y = np.array([pair.relevant for pair in pairs], dtype=np.float64)
    said = np.zeros_like(x)
    for fold in dict.fromkeys(folds):
        left_out = names == fold
        said[left_out] = fitted(x[~left_out], y[~left_out])(x[left_out])
    others = {name: one(x) for name, one in (known or {}).items()}
    others[ALWAYS_THE_SAME] = np.full_like(x, SHARE)
    weights = weights_of(y)
    return CalibrationReport(
        embedder_id=embedder_id,
        folds={fold: folds.count(fold) for fold in dict.fromkeys(folds)},
        by_question=len({pair.group for pair in pairs}) == 1,
        relevant=int(y.sum()),
        held_out=figures_of(said, y, weights=weights),
        beside={name: figures_of(one, y, weights=weights) for name, one in others.items()},
        calibration=fitted(x, y),
    )


def folds_of(pairs: Sequence[Pair]) -> list[str]:
    """The fold of every pair: its scenario, or of a single scenario a part of its questions.

    Raises:
        UsageError: there are fewer than two scenarios and fewer than two questions.
    """
    groups = list(dict.fromkeys(pair.group for pair in pairs))
    if len(groups) > 1:
        return [pair.group for pair in pairs]
    questions = list(dict.fromkeys(pair.question_id for pair in pairs))
    if len(questions) < 2:
        raise UsageError(
            "calibrating needs at least two questions that bring a memory: one is left out to "
            "report on, and a figure over the pairs that were fitted is no result; add a scenario"
        )
    part_of = {one: n % QUESTION_FOLDS + 1 for n, one in enumerate(questions)}
    return [f"{pair.group}, questions {part_of[pair.question_id]}" for pair in pairs]


def weights_of(labels: Floats) -> Floats:
    """[n]: relevant pairs have SHARE of the weight, the others the rest."""
    relevant = float(labels.mean())
    return labels * (SHARE / relevant) + (1 - labels) * ((1 - SHARE) / (1 - relevant))


def fitted(cosines: Floats, labels: Floats) -> LogisticCalibration:
    """The logistic fit, as if SHARE of the pairs were relevant: the odds are multiplied.

    Source: King and Zeng, Political Analysis 9, 2001, doi:10.1093/oxfordjournals.pan.a004868.

    Raises:
        UsageError: the labels are all alike, or the slope is not positive.
    """
    relevant = float(labels.mean())
    if not 0 < relevant < 1:
        raise UsageError(
            f"calibrating needs relevant and other memories in every fit, and of {len(labels)} "
            f"pairs {int(labels.sum())} are relevant; add labelled questions"
        )
    found = fit_logistic(cosines, labels)
    if found.slope <= 0:
        raise UsageError(
            "nearer memories are not likelier to be relevant here, so a cosine says nothing; "
            "check the labels and the embedding model, or add labelled questions"
        )
    factor = SHARE / (1 - SHARE) * (1 - relevant) / relevant
    return LogisticCalibration(found.slope, found.intercept + float(np.log(factor)))


def figures_of(said: Floats, relevant: Floats, *, weights: Floats) -> Figures:
    """Figures of probabilities, float [n > 0], for labels of 0 or 1.

    Args:
        weights: of the pairs, above 0; only their ratios matter.
    """
    safe = np.clip(said, CERTAIN, 1 - CERTAIN)
    losses = -(relevant * np.log(safe) + (1 - relevant) * np.log(1 - safe))
    return Figures(
        brier=float(np.average((said - relevant) ** 2, weights=weights)),
        log_loss=float(np.average(losses, weights=weights)),
    )
