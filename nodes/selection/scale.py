"""The scale of an embedding model: what its cosines mean, and the scales that ship."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from secondhop.ranking.calibration import Calibration, LogisticCalibration
from secondhop.ranking.coverage import Sharpening


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScale:
    """Every number that belongs to an embedding model, and not to recall."""

    calibration: Calibration
    """Cosine of a query and a passage → relevance, 0..1."""
    text_shift: float = 0.0
    """How much nearer passages are to a question that is embedded as they are: without what the
    model wants before a query."""
    repeats: Sharpening = field(default_factory=lambda: Sharpening(lo=0.80, hi=0.95))
    """Cosine of two passages from which on one begins to repeat, and fully repeats, the other."""
    successor_at: float = 0.76
    """Cosine of two passages from which on the newer may replace the older."""
    same_context: Sharpening = field(default_factory=lambda: Sharpening(lo=0.70, hi=0.85))
    """Cosine of two questions from which on what was learned with one begins to count for the
    other, and fully counts."""

    def calibration_for(self, *, as_texts: bool) -> Calibration:
        """Of cosines of questions; `as_texts`: embedded as passages are."""
        return self.calibration.shifted(self.text_shift) if as_texts else self.calibration


SCALES: Mapping[str, ModelScale] = {
    "bge-small-en-v1.5": ModelScale(
        calibration=LogisticCalibration(slope=21.81, intercept=-13.54),
        text_shift=0.02,
        same_context=Sharpening(lo=0.78, hi=0.86),
    ),
    "hashing": ModelScale(
        calibration=LogisticCalibration(slope=12.0, intercept=-4.2),
        same_context=Sharpening(lo=0.35, hi=0.60),
    ),
    "openai:text-embedding-3": ModelScale(
        calibration=LogisticCalibration(slope=16.0, intercept=-6.4),
        repeats=Sharpening(lo=0.65, hi=0.92),
        successor_at=0.60,
        same_context=Sharpening(lo=0.55, hi=0.75),
    ),
}
"""By the beginning of a model id. The calibrations are one half at 0.62, 0.35 and 0.40.

For the default, calibration is what `secondhop eval calibrate` finds on
examples/scenarios. The other numbers were measured, too: of 40 pairs in which the newer memory
replaced the older, 35 lay above 0.76; of 69 questions, none lay nearer than 0.79 to the mean of
several wordings of another, and nine of ten lay above 0.87 to that of their own. Without the
prefix, the best passages of 123 questions lay 0.025 nearer, and those of other people's memories
0.030; a little less is taken off, so that no question goes without its answer. What stands for
other models are estimates.
"""

UNKNOWN_MODEL = ModelScale(calibration=LogisticCalibration(slope=14.0, intercept=-7.0))
"""For other models: one half at 0.5, a guess; `secondhop eval calibrate` makes a better one."""


def scale_of(model_id: str) -> ModelScale:
    """The scale that fits a model."""
    for beginning, scale in SCALES.items():
        if model_id.startswith(beginning):
            return scale
    return UNKNOWN_MODEL
