"""The best answer that a recall has at this point: the picks, and whether they may be given."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from secondhop.nodes.eligibility import answerable, judged_relevance, last_votes, readers_order
from secondhop.nodes.pool import Pool
from secondhop.nodes.question_kind import about_now
from secondhop.nodes.selection import Selection, select
from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.state import DIRECT, Pick, RecallState
from secondhop.ranking.arrays import Floats
from secondhop.ranking.decay import linear_recency

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestAnswer:
    """What would be returned if the recall ended here."""

    selected: Selection
    """As the slots would be given, whether or not the question can be answered."""
    given: bool
    """Whether the memory speaks of the question at all."""
    nearest: float
    """Calibrated relevance to the question itself of what is nearest to it."""
    bar: float
    """What `nearest` must reach, unless somebody has read the candidates."""

    @property
    def picks(self) -> list[Pick]:
        """Best first; none when the memory does not speak of the question."""
        return self.selected.picks if self.given else []


def best_answer(pool: Pool, state: RecallState, *, settings: RankingSettings) -> BestAnswer:
    """Slots by the votes so far.

    Who has read the candidates and put them in order is followed; then what nobody voted on fills
    up. Nothing is given when a reader found nothing good, or when nothing is near the question
    itself and no reader found something hot.
    """
    votes = last_votes(state)
    led = readers_order(votes)
    relevance = judged_relevance(pool, votes, settings=settings)
    own = [column for column, facet_id in enumerate(pool.facet_ids) if facet_id == DIRECT]
    relevance[:, own] *= recency_of(pool, state, settings=settings)[:, np.newaxis]
    selected = select(
        pool, relevance, state["facets"], k=state["k"], settings=settings, led=led or ()
    )
    near, nearest, bar = answerable(
        state["candidates"], state["kind"], min_score=settings.min_score
    )
    hot = any(vote["vote"] == "hot" and vote.get("place") for vote in votes.values())
    given = near if led is None else hot or (near and bool(led))
    return BestAnswer(selected=selected, given=given, nearest=nearest, bar=bar)


def recency_of(pool: Pool, state: RecallState, *, settings: RankingSettings) -> Floats:
    """[n_candidates], 0.5..1: what age leaves of relevance; 1 where age does not count."""
    about = settings.recency == "auto" and about_now(state["question"])
    if not (about or settings.recency == "always"):
        return np.ones(len(pool.ids))
    asked_at = datetime.fromisoformat(state["asked_at"])
    ages = [
        (asked_at - datetime.fromisoformat(pool.candidates[memory_id]["created_at"])) / DAY
        for memory_id in pool.ids
    ]
    return linear_recency(ages, decay_days=settings.recency_days)
