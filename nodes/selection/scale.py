"""The scale of an embedding model: what its cosines mean."""

from dataclasses import dataclass, field

from secondhop.ranking.calibration import Calibration
from secondhop.ranking.coverage import Sharpening


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScale:
    """Every number that belongs to an embedding model, and not to recall."""

    calibration: Calibration
    """Cosine of a query and a passage → relevance, 0..1."""
    repeats: Sharpening = field(default_factory=lambda: Sharpening(lo=0.80, hi=0.95))
    """Cosine of two passages from which on one begins to repeat, and fully repeats, the other."""
    successor_at: float = 0.76
    """Cosine of two passages from which on the newer may replace the older."""
    same_context: Sharpening = field(default_factory=lambda: Sharpening(lo=0.70, hi=0.85))
    """Cosine of two questions from which on what was learned with one begins to count for the
    other, and fully counts."""
