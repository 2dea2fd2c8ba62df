"""What a memory itself adds to or takes from relevance: its source, its salience, its age."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import prod

import numpy as np

from secondhop.nodes.planning.kind_settings import ranking_for
from secondhop.nodes.selection.source_priority import parsed_priority
from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.state import Candidate, RecallState
from secondhop.ranking.arrays import Floats
from secondhop.ranking.decay import linear_recency
from secondhop.stores.keeping import NEUTRAL

DAY = timedelta(days=1)


def source_factors(
    candidates: Mapping[str, Candidate], settings: RankingSettings
) -> dict[str, float]:
    """{source: factor, at least 1} of the sources among the candidates.

    Relative to the least trusted one that is there: what is written down gains, and among
    conversations nothing changes.
    """
    given = parsed_priority(settings.source_priority)
    factors = {one["source"]: given.get(one["source"], 1.0) for one in candidates.values()}
    least = min(factors.values(), default=1.0)
    return {source: factor / least for source, factor in factors.items()}


def salience_factor(salience: float, *, weight: float) -> float:
    """1 - weight .. 1 + weight; 1 for the neutral salience of 0.5.

    >>> salience_factor(1.0, weight=0.2), salience_factor(0.5, weight=0.2)
    (1.2, 1.0)
    """
    return 1.0 + weight * (salience - NEUTRAL) / NEUTRAL


def factors_of(
    candidate: Candidate, sources: Mapping[str, float], settings: RankingSettings
) -> dict[str, float]:
    """The parts by name; those that change nothing are left out."""
    salience = candidate.get("salience", NEUTRAL)
    parts = {
        "source": sources.get(candidate["source"], 1.0),
        "salience": salience_factor(salience, weight=settings.salience_weight),
    }
    return {name: round(factor, 4) for name, factor in parts.items() if factor != 1.0}


def age_factors(
    candidates: Mapping[str, Candidate], state: RecallState, settings: RankingSettings
) -> dict[str, dict[str, float]]:
    """{memory id: {"recency": factor}} where age counts; weighed for the question itself alone."""
    if ranking_for(state["kind"], state["question"], settings).recency == "never":
        return {}
    asked_at = datetime.fromisoformat(state["asked_at"])
    dates = [datetime.fromisoformat(one["created_at"]) for one in candidates.values()]
    ages = [(asked_at - date) / DAY for date in dates]
    recency: list[float] = linear_recency(ages, decay_days=settings.recency_days).tolist()
    return {
        memory_id: {"recency": round(factor, 4)}
        for memory_id, factor in zip(candidates, recency, strict=True)
        if factor < 1.0
    }


def own_factors(
    ids: Sequence[str], candidates: Mapping[str, Candidate], settings: RankingSettings
) -> Floats:
    """[n]: the product of each one's parts."""
    sources = source_factors(candidates, settings)
    return np.array(
        [prod(factors_of(candidates[i], sources, settings).values()) for i in ids],
        dtype=np.float64,
    )
