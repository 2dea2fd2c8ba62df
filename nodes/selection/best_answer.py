"""The best answer that a recall has so far: the picks, and whether they may be given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.effort import is_unplanned
from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.selection.eligibility import (
    SUPPRESSED,
    answerable,
    is_outside,
    judged_relevance,
    kept_ids,
    last_votes,
    readers_order,
    text_relevance,
    weakened_by,
    well_founded,
)
from secondhop.nodes.selection.factors import OF_THE_QUESTION, score_factors
from secondhop.nodes.selection.negative_feedback import not_like_the_refused
from secondhop.nodes.selection.pool import Pool, suggested_facets
from secondhop.nodes.selection.select import REPEATS_AT, Selection, select
from secondhop.nodes.selection.shortlist import ASKED_BY_CRITIC
from secondhop.nodes.selection.unplanned_order import (
    answering_for_themselves,
    repeats_at,
    unplanned_order,
)
from secondhop.nodes.state import DIRECT, FACT_ASKED, Pick, RecallState, Vote
from secondhop.ranking.arrays import Floats

FOUND = 0.6
"""Relevance to a search that the critic asked for, from which on a memory counts as found by it."""


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
    """What `nearest` must reach, unless a reader has voted."""
    weakened: Mapping[str, str]
    """{memory id: the newer memory because of which it counts less}."""
    implied: Sequence[Pick] = ()
    """Facts that the plan asks for by name, or means: too short to be near the question, and given
    all the same."""

    @property
    def picks(self) -> list[Pick]:
        """Best first; implied facts alone when the memory does not speak of the question."""
        return self.selected.picks if self.given else [*self.implied]


def best_answer(
    pool: Pool,
    state: RecallState,
    *,
    settings: RankingSettings,
    shown: Sequence[str] = (),
    beside: int = 0,
) -> BestAnswer:
    """Slots by the votes so far.

    What people and agents voted for stays, beside the k slots. If a reader has put the candidates
    in order, that order counts, and candidates without a vote fill the rest. Nothing is given when
    the reader refused most of what it read and chose none of it, or when nothing is near the
    question itself and no memory was voted hot.

    Args:
        shown: ids of earlier answers, in their order: so stands what was voted for alike.
        beside: losers that are shown beside the answer; without a plan hardly more are named.
    """
    votes = last_votes(state)
    kept: list[str] = []
    led = None
    if votes:
        chosen = kept_ids(votes, facet_ids=state.get("sparks", {}), shown=shown)
        kept = [one for one in chosen if one in pool.ids]
        led = believed_order(votes, pool)
    if is_unplanned(state) and state["kind"] in LOOKUPS:
        pool = answering_for_themselves(pool)
    factors, lift = weighed(pool, votes, state, settings=settings)
    min_score = 0.0 if is_unplanned(state) else settings.min_score
    relevance = judged_relevance(pool, votes, min_score=min_score, lift=lift)
    relevance = np.minimum(relevance * factors, 1.0)
    order = None
    if is_unplanned(state):
        wanted = state["k"] + len(kept) + beside
        order = unplanned_order(pool, relevance, factors, state, wanted=wanted)
    selected = select(
        pool,
        relevance,
        state["facets"],
        k=state["k"] + len(kept),
        settings=settings,
        led=led or (),
        kept=kept,
        order=order,
        repeats_at=REPEATS_AT if order is None else repeats_at(state),
    )
    selected = replace(selected, picks=credited(selected.picks, state))
    near, nearest, bar = answerable(state, state["kind"], min_score=settings.min_score)
    given = near
    if led is not None:
        hot = any(votes[memory_id]["vote"] == "hot" for memory_id in led)
        refused = mostly_refused(votes, state) and not found_since(votes, state)
        given = hot or (near and (bool(led) or not refused))
    return BestAnswer(
        selected=selected,
        given=given or bool(kept),
        nearest=nearest,
        bar=bar,
        weakened=weakened_by(pool, votes, min_score=min_score),
        implied=implied_picks(pool, relevance, state) if led is None else (),
    )


def credited(picks: Sequence[Pick], state: RecallState) -> list[Pick]:
    """The picks; one that playbooks speak for most is there for the facet that suggested it."""
    suggested = suggested_facets(state)
    return [
        Pick(memory_id=pick["memory_id"], facet_id=min(by_playbooks, default=pick["facet_id"]))
        for pick in picks
        for by_playbooks in [suggested & state["candidates"][pick["memory_id"]]["scores"].keys()]
    ]


def implied_picks(pool: Pool, relevance: Floats, state: RecallState) -> list[Pick]:
    """The facts that the plan asks for by name, in its order, each for the facet that does."""
    best = dict(zip(pool.ids, relevance.max(axis=1, initial=0.0).tolist(), strict=True))
    asked = [one for one in state.get("queries", {}).values() if one["origin"] == FACT_ASKED]
    picks = [
        Pick(memory_id=memory_id, facet_id=one["facet_id"])
        for one in asked
        for memory_id in one.get("memory_ids", [])
        if best.get(memory_id, 0.0) > 0
    ]
    return picks[: state["k"]]


def believed_order(votes: Mapping[str, Vote], pool: Pool) -> list[str] | None:
    """As `readers_order`, without what no search found like the question."""
    order = readers_order(votes)
    if order is None:
        return None
    return [one for one in order if one in pool.ids and well_founded(pool.candidates[one])]


def mostly_refused(votes: Mapping[str, Vote], state: RecallState) -> bool:
    """Whether at least half of what was shown was voted out; a missing vote is neutral."""
    shown = state.get("shortlist", [])
    refused = [one for one in shown if one in votes and votes[one]["vote"] in SUPPRESSED]
    return 2 * len(refused) >= len(shown)


def found_since(votes: Mapping[str, Vote], state: RecallState) -> bool:
    """Whether searches that the critic asked for brought something near that it has not read."""
    asked = {
        query_id
        for query_id, query in state.get("queries", {}).items()
        if query["origin"] in ASKED_BY_CRITIC and query["round"] == state["round"]
    }
    return any(
        score["query_ids"][0] in asked and text_relevance(score) >= FOUND
        for memory_id, candidate in state["candidates"].items()
        if asked and memory_id not in votes
        for score in candidate["scores"].values()
    )


def weighed(
    pool: Pool, votes: Mapping[str, Vote], state: RecallState, *, settings: RankingSettings
) -> tuple[Floats, Floats]:
    """([n_candidates, n_facets] factors on relevance, [n_candidates] what learning makes of it)."""
    columns = score_factors([pool.candidates[one] for one in pool.ids], state, settings)
    factors = np.ones(pool.relevance.shape)
    for name, column in columns.items():
        own = [f for f, one in enumerate(pool.facet_ids) if one == DIRECT]
        factors[:, own if name == OF_THE_QUESTION else slice(None)] *= column[:, np.newaxis]
    if any(is_outside(vote) for vote in votes.values()):
        factors *= not_like_the_refused(pool, votes)
    return factors, columns["learned"]
