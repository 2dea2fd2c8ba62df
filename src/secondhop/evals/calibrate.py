"""Calibrated relevance fitted on labelled pairs, and how it does on pairs that it has not seen.

Every scenario is left out in turn; the figures are those of the pairs left out, each predicted by a
fit on the others. With one scenario alone its questions are left out, in five parts: they share one
memory, so those figures are more hopeful.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any, Literal, TypeAlias

import numpy as np

from secondhop.errors import UsageError
from secondhop.evals.calibrate_figures import Figures, figures_of
from secondhop.evals.calibrate_pairs import Pair
from secondhop.nodes.selection.scale_file import calibration_document, scale_document
from secondhop.ranking.arrays import Floats
from secondhop.ranking.calibration import (
    Calibration,
    IsotonicCalibration,
    LogisticCalibration,
    fit_isotonic,
    fit_logistic,
)

Method: TypeAlias = Literal["logistic", "isotonic"]

QUESTION_FOLDS = 5
"""Parts into which the questions of a single scenario fall."""

ALWAYS_THE_SAME = "always the same"
"""What says the share of every pair."""

SHARE = 0.3
"""Of the weight that relevant pairs have, however few they are.

How many of the memories found are relevant is a matter of the store's size and of how deep one
looks. A probability that follows it means another thing in every store; with a share that is set,
it means how much the cosine speaks for a memory. With 0.3 the default `min_score` kept its
meaning: as much came back as by the scale that ships, and nothing where nothing answers.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport:
    """A fitted scale, and figures of pairs that it was not fitted on."""

    embedder_id: str
    method: Method
    folds: Mapping[str, int]
    """{fold: pairs}."""
    by_question: bool
    """True: the folds are parts of one scenario."""
    relevant: int
    """Pairs with a relevant memory."""
    share: float
    """Of the weight that they have all the same."""
    held_out: Figures
    """The result: of this way to fit, on what was left out."""
    beside: Mapping[str, Figures]
    """{name: figures} of what needs no fit on these pairs, on the same pairs."""
    calibration: Calibration
    """Fitted on all pairs; there is no honest figure of this one."""
    nearness: Mapping[str, float] = field(default_factory=dict[str, float])
    """{memory: how near its passages usually are to the playbooks' questions}."""

    @property
    def usual_nearness(self) -> float | None:
        """The mean over the memories, each counting the same; None: it was measured on none."""
        return fsum(self.nearness.values()) / len(self.nearness) if self.nearness else None

    @property
    def pairs(self) -> int:
        """How many there are."""
        return sum(self.folds.values())

    def file(self) -> dict[str, Any]:
        """The scale file, with how it came about."""
        return scale_document(
            self.calibration,
            embedder_id=self.embedder_id,
            usual_nearness=self.usual_nearness,
            fitted={
                "on": list(self.folds),
                "left_out": "questions" if self.by_question else "scenarios",
                "pairs": self.pairs,
                "relevant": self.relevant,
                "share": self.share,
                "held_out_brier": round(self.held_out.brier, 4),
                "held_out_log_loss": round(self.held_out.log_loss, 4),
                "nearness": {name: round(one, 4) for name, one in self.nearness.items()},
            },
        )

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "embedder": self.embedder_id,
            "method": self.method,
            "left_out": "questions" if self.by_question else "scenarios",
            "folds": dict(self.folds),
            "pairs": self.pairs,
            "relevant": self.relevant,
            "share": self.share,
            "held_out": self.held_out.document(),
            "beside": {name: figures.document() for name, figures in self.beside.items()},
            "calibration": calibration_document(self.calibration),
            "usual_nearness": self.usual_nearness,
            "nearness": dict(self.nearness),
        }


def calibrated(
    pairs: Sequence[Pair],
    *,
    embedder_id: str,
    method: Method = "logistic",
    known: Mapping[str, Calibration] | None = None,
    share: float = SHARE,
) -> CalibrationReport:
    """Fit a calibration and tell how well fits like it do on pairs left out.

    Args:
        known: calibrations by name, to show beside it; one that was fitted on these pairs says so
            in its name.
        share: of the weight that relevant pairs have, in fits and in figures alike.

    Raises:
        UsageError: nothing can be left out, the labels are all alike, or nearer memories are
            not likelier to be relevant.
    """
    folds = folds_of(pairs)
    names = np.array(folds)
    x = np.array([pair.cosine for pair in pairs])
    y = np.array([pair.relevant for pair in pairs], dtype=np.float64)
    said = np.zeros_like(x)
    for fold in dict.fromkeys(folds):
        left_out = names == fold
        fit = fitted(x[~left_out], y[~left_out], method=method, share=share)
        said[left_out] = fit(x[left_out])
    others = {name: one(x) for name, one in (known or {}).items()}
    others[ALWAYS_THE_SAME] = np.full_like(x, share)
    weights = weights_of(y, share=share)
    return CalibrationReport(
        embedder_id=embedder_id,
        method=method,
        folds={fold: folds.count(fold) for fold in dict.fromkeys(folds)},
        by_question=len({pair.group for pair in pairs}) == 1,
        relevant=int(y.sum()),
        share=share,
        held_out=figures_of(said, y, weights=weights),
        beside={name: figures_of(one, y, weights=weights) for name, one in others.items()},
        calibration=fitted(x, y, method=method, share=share),
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


def weights_of(labels: Floats, *, share: float) -> Floats:
    """[n]: relevant pairs have that share of the weight, the others the rest."""
    relevant = float(labels.mean())
    return labels * (share / relevant) + (1 - labels) * ((1 - share) / (1 - relevant))


def fitted(cosines: Floats, labels: Floats, *, method: Method, share: float) -> Calibration:
    """Raises UsageError when the labels are all alike, or the slope is not positive."""
    if not 0 < labels.mean() < 1:
        raise UsageError(
            f"calibrating needs relevant and other memories in every fit, and of {len(labels)} "
            f"pairs {int(labels.sum())} are relevant; add labelled questions"
        )
    fit = fit_isotonic if method == "isotonic" else fit_logistic
    found = fit(cosines, labels)
    if isinstance(found, LogisticCalibration) and found.slope <= 0:
        raise UsageError(
            "nearer memories are not likelier to be relevant here, so a cosine says nothing; "
            "check the labels and the embedding model, or add labelled questions"
        )
    return with_share(found, share, was=float(labels.mean()))


def with_share(found: Calibration, share: float, *, was: float) -> Calibration:
    """The probabilities, had another share of the pairs been relevant: the odds are multiplied.

    Source: King and Zeng, Political Analysis 9, 2001, doi:10.1093/oxfordjournals.pan.a004868.
    """
    factor = share / (1 - share) * (1 - was) / was
    if isinstance(found, LogisticCalibration):
        return LogisticCalibration(found.slope, found.intercept + float(np.log(factor)))
    values = factor * found.values / (1 + (factor - 1) * found.values)
    return IsotonicCalibration(found.scores, values)
