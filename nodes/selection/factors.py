"""Score factors: how source, salience, age and past sessions change a memory's relevance.

Each is a small function from the candidates to a column; `FACTORS` names them all. Selection
multiplies by them, the trace records them and `explain` prints them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import numpy as np

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.planning.question_kind import age_counts
from secondhop.nodes.selection.source_priority import parsed_priority
from secondhop.nodes.state import Candidate, RecallState
from secondhop.ranking.arrays import Floats
from secondhop.ranking.decay import linear_recency
from secondhop.stores.keeping import NEUTRAL

DAY = timedelta(days=1)

EXPOSURE = 0.5
"""What freshness = 1 may take of the relevance of what was shown right before."""

SALIENCE = 0.2
"""How much salience (0..1) may add to relevance, or take from it."""

Factor: TypeAlias = Callable[[Sequence[Candidate], RecallState, RankingSettings], Floats]
"""Candidates → [n_candidates], above 0; 1 changes nothing."""


def source(candidates: Sequence[Candidate], _: RecallState, settings: RankingSettings) -> Floats:
    """How much each kind of document is believed, relative to the least trusted one there is:
    what was written down gains, and among conversations alone nothing changes."""
    given = parsed_priority(settings.source_priority)
    factors = np.array([given.get(one["source"], 1.0) for one in candidates])
    return np.asarray(factors / factors.min(initial=np.inf), dtype=np.float64)


def salience(candidates: Sequence[Candidate], _: RecallState, __: RankingSettings) -> Floats:
    """0.8 to 1.2; 1 for the neutral salience of 0.5."""
    given = np.array([one.get("salience", NEUTRAL) for one in candidates])
    return np.asarray(1.0 + SALIENCE * (given - NEUTRAL) / NEUTRAL)


def recency(
    candidates: Sequence[Candidate], state: RecallState, settings: RankingSettings
) -> Floats:
    """0.5..1, falling with age where the question or the settings ask for it."""
    counts = settings.recency == "always" or (
        settings.recency == "auto" and age_counts(state["kind"], state["question"])
    )
    if not counts:
        return np.ones(len(candidates))
    asked_at = datetime.fromisoformat(state["asked_at"])
    ages = [(asked_at - datetime.fromisoformat(one["created_at"])) / DAY for one in candidates]
    return linear_recency(ages, decay_days=settings.recency_days)


def exposure(
    candidates: Sequence[Candidate], state: RecallState, settings: RankingSettings
) -> Floats:
    """1 - freshness / 2 .. 1: what was shown lately for other questions yields."""
    wear = state.get("exposure", {})
    worn = np.array([wear.get(one["memory_id"], 0.0) for one in candidates])
    return np.asarray(1 - settings.freshness * EXPOSURE * worn, dtype=np.float64)


def learned(candidates: Sequence[Candidate], state: RecallState, _: RankingSettings) -> Floats:
    """0.85..1.3: what helped in sessions about such questions, or did not."""
    given = state["learned"]["factors"] if "learned" in state else {}
    return np.array([given.get(one["memory_id"], 1.0) for one in candidates])


FACTORS: Final[Mapping[str, Factor]] = {
    "source": source,
    "salience": salience,
    "recency": recency,
    "exposure": exposure,
    "learned": learned,
}

NEWER = "newer"
"""What a newer memory makes of it, in a trace; `eligibility.weakened_by` says where."""

OF_THE_QUESTION = "recency"
"""The factor that weighs on the question itself alone, and not on a plan's facets."""


def score_factors(
    candidates: Sequence[Candidate], state: RecallState, settings: RankingSettings
) -> dict[str, Floats]:
    """Every factor as a column, by its name."""
    return {name: factor(candidates, state, settings) for name, factor in FACTORS.items()}
