"""The scale of an embedding model: what its cosines mean, and the scales that ship."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from secondhop.ranking.calibration import LogisticCalibration
from secondhop.ranking.coverage import Sharpening


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScale:
    """Every number that depends on the embedding model."""

    calibration: LogisticCalibration
    """Cosine of a query and a passage → relevance, 0..1."""
    text_shift: float = 0.0
    """How much the cosine to passages rises if the question is embedded as a passage, without the
    model's query prefix."""
    repeats: Sharpening = field(default_factory=lambda: Sharpening(lo=0.80, hi=0.95))
    """Cosines of two passages at which one begins to repeat the other (lo) and fully does (hi)."""
    successor_at: float = 0.76
    """Cosine of two passages from which the newer one may replace the older."""
    same_context: Sharpening = field(default_factory=lambda: Sharpening(lo=0.70, hi=0.85))
    """Cosines of two questions at which what was learned with one begins to count for the other
    (lo) and fully counts (hi)."""

    def calibration_for(self, *, as_texts: bool) -> LogisticCalibration:
        """The calibration for cosines of a question; `as_texts`: it was embedded as a passage."""
        own = self.calibration
        if not as_texts:
            return own
        return LogisticCalibration(own.slope, own.intercept - own.slope * self.text_shift)


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
"""{beginning of a model id: its scale}. The calibrations give 0.5 at cosines 0.62, 0.35 and 0.40.

For the default model, `secondhop eval calibrate` found the calibration on examples/scenarios. Its
other numbers were measured, too:

- `successor_at`: of 40 pairs in which the newer memory replaced the older, 35 lay above 0.76.
- `same_context`: each of 69 questions was compared with the mean of several wordings of a question.
  None came nearer than 0.79 to that of another question; nine of ten lay above 0.87 to their own.
- `text_shift`: without the prefix, the best passages of 123 questions lay 0.025 nearer, and those
  of other people's memories 0.030. We subtract a little less, so that no question loses its answer.

The numbers for the other models are estimates.
"""

UNKNOWN_MODEL = ModelScale(calibration=LogisticCalibration(slope=14.0, intercept=-7.0))
"""For all other models: 0.5 at cosine 0.5, a guess. `secondhop eval calibrate` fits a better one.
"""


def scale_of(model_id: str) -> ModelScale:
    """The scale of the model, or `UNKNOWN_MODEL`."""
    for beginning, scale in SCALES.items():
        if model_id.startswith(beginning):
            return scale
    return UNKNOWN_MODEL
