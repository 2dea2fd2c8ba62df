"""The best answer that a recall has at this point: the picks, and whether they may be given."""

from dataclasses import dataclass

from secondhop.nodes.eligibility import answerable, judged_relevance, last_votes, readers_order
from secondhop.nodes.pool import Pool
from secondhop.nodes.selection import Selection, select
from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.state import Pick, RecallState


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
    selected = select(
        pool, relevance, state["facets"], k=state["k"], settings=settings, led=led or ()
    )
    near, nearest, bar = answerable(
        state["candidates"], state["kind"], min_score=settings.min_score
    )
    hot = any(vote["vote"] == "hot" and vote.get("place") for vote in votes.values())
    given = near if led is None else hot or (near and bool(led))
    return BestAnswer(selected=selected, given=given, nearest=nearest, bar=bar)
