"""What decides a slot, from top to bottom; the files named here hold the details.

1. Without a plan, relevance to the question is the sum of what each search says (`blend.py`;
   `facet_scores.py` gives it to the candidates, `pool.py` to this file), or that of the best
   passage if neither cues nor playbooks found anything (`fuse.py`). If a model planned facets,
   relevance to a facet is that of the best passage found for it.
2. Score factors, votes and newer memories change relevance (`relevance.py`): `best_answer` below.
3. Without a plan, the best score comes first (`unplanned_order`). A look-up by text
   (`is_text_look_up`) keeps the order of hybrid search. Facts that the question names come first.
   Memories that repeat others, or that an annotation calls outdated, come last. In a look-up by
   text, only those come behind them that say little about the question, and those that a newer one
   seems to replace come last, too; otherwise these have lost a third of their relevance in step 2.
4. With a plan, the facets share the slots (`select.py`).
5. The critic's order goes before all that, and what people and agents voted for goes before the
   critic's order. The first k get the slots, in addition to what people and agents voted for
   (`select.py`).
6. If nothing is near the question, the answer is empty (`answerable.py`). If only rare words that
   they share with the question speak for some memories, these come first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.effort import is_unplanned
from secondhop.nodes.planning.fact_lookup import OWN_FACET
from secondhop.nodes.planning.question_kind import LOOKUPS, is_small_talk
from secondhop.nodes.selection.answerable import (
    answerable,
    asks_several,
    best_text,
    is_text_look_up,
    named_in_question,
    text_relevance,
)
from secondhop.nodes.selection.negative_feedback import not_like_the_refused
from secondhop.nodes.selection.pool import Pool, suggested_facets
from secondhop.nodes.selection.relevance import (
    LEAST_RELEVANCE,
    OF_THE_QUESTION,
    SERVES_AS_WELL,
    critics_order,
    is_outside,
    judged_relevance,
    kept_ids,
    last_votes,
    score_factors,
    weakened_by,
    well_founded,
)
from secondhop.nodes.selection.select import Selection, repetition_among, select
from secondhop.nodes.selection.shortlist import ASKED_BY_CRITIC
from secondhop.nodes.state import DIRECT, FACT_ASKED, FACT_NAMED, Pick, RecallState, Vote
from secondhop.ranking.arrays import Floats
from secondhop.ranking.votes import SUPPRESSED

SAID_AHEAD = 0.25
"""A memory comes last if those ahead of it say more than this share of its evidence."""

COPIES = 0.8
"""The same for a look-up by text. Higher, because sessions of one conversation all sound alike."""

FOUND = 0.6
"""A memory counts as found by a search that the critic asked for from this relevance on."""

SlotRule = Literal["facets", "hybrid ranks", "relevance", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BestAnswer:
    """What would be returned if the recall ended here."""

    selected: Selection
    """The slots as they would be given, whether or not the question can be answered."""
    near: bool
    """Whether anything stored is about the question, by its text, a cue, or rare words."""
    named: Mapping[str, str]
    """{memory id: words of the question that its text contains and most other texts do not}."""
    given: bool
    """Whether there is an answer: something is near and was not refused, or was voted for."""
    weakened: Mapping[str, str]
    """{memory id: the newer memory that lowers its relevance}."""
    implied: Sequence[Pick]
    """Facts that the plan asks for by name. They are returned although they may be too short to be
    near the question."""
    picks: list[Pick]
    """Best first; only the implied facts if there is no answer otherwise."""


def best_answer(
    pool: Pool,
    state: RecallState,
    *,
    settings: RankingSettings,
    shown: Sequence[str] = (),
) -> BestAnswer:
    """The slots by the votes so far.

    Memories that people or agents voted for stay, in addition to the k slots. If the critic has
    ordered the candidates, its order decides, and candidates without a vote fill the rest. Without
    votes of people or agents, there is no answer if the critic refused most of what it read and
    chose none of it, or if nothing is near the question itself and the critic voted nothing hot.

    Args:
        shown: ids of earlier answers, in order; it breaks ties among equal votes.
    """
    votes = last_votes(state)
    kept: list[str] = []
    led = None
    if votes:
        chosen = kept_ids(votes, facet_ids=state.get("sparks", {}), shown=shown)
        kept = [one for one in chosen if one in pool.ids]
        led = well_founded_order(votes, pool)
    factors, lift = relevance_factors(pool, votes, state, settings=settings)
    if is_unplanned(state) and state["kind"] in LOOKUPS:
        share = SERVES_AS_WELL if is_text_look_up(state) else 1.0
        pool = answering_for_themselves(pool, factors, share=share)
    min_score = 0.0 if is_unplanned(state) else settings.min_score  # of a slot, not of the answer
    weakened = weakened_by(pool, votes, min_score=min_score)
    judged = judged_relevance(pool, votes, weakened, min_score=min_score, lift=lift)
    scores = judged * factors
    relevance = np.minimum(scores, 1.0)  # facets share slots by it; the order goes by the scores
    order: list[str] | None = None
    close_to: dict[str, str] = {}
    near, _, _ = answerable(state, state["kind"], min_score=settings.min_score)
    by_words = not near and not is_small_talk(state["question"])
    named = named_in_question(pool, state["question"], by_telling_words=by_words)
    if is_unplanned(state):
        limit = COPIES if is_text_look_up(state) else SAID_AHEAD
        order = unplanned_order(pool, scores, factors, state)
        close_to = close_to_one_ahead(order, pool, limit=limit)
        fillers = filling_slots(pool, state)
        order.sort(key=lambda one: (one in fillers, one in close_to))
        if not near:  # only these speak for an answer
            order.sort(key=lambda one: one not in named)
    selected = select(
        pool,
        relevance,
        state["facets"],
        k=state["k"] + len(kept),
        settings=settings,
        led=led or (),
        kept=kept,
        order=order,
        close_to=close_to,
    )
    selected = replace(selected, picks=under_their_playbook(selected.picks, state))
    near = near or bool(named)
    given = bool(kept) or is_answered(near, led, votes, state)
    implied = implied_picks(pool, relevance, state) if led is None else []
    return BestAnswer(
        selected=selected,
        near=near,
        named=named,
        given=given,
        weakened=weakened,
        implied=implied,
        picks=selected.picks if given else implied,
    )


def is_answered(
    near: bool, led: Sequence[str] | None, votes: Mapping[str, Vote], state: RecallState
) -> bool:
    """Whether searches (`near`) and the critic leave an answer. `led`: ids in its order; None:
    it gave none."""
    if led is None:
        return near
    if any(votes[memory_id]["vote"] == "hot" for memory_id in led):
        return True
    refused = mostly_refused(votes, state) and not found_since(votes, state)
    return near and (bool(led) or not refused)


def relevance_factors(
    pool: Pool, votes: Mapping[str, Vote], state: RecallState, *, settings: RankingSettings
) -> tuple[Floats, Floats]:
    """([n_candidates, n_facets] product of all factors, [n_candidates] the learned factor alone).

    The first includes the loss of memories that resemble what people or agents refused.
    """
    columns = score_factors([pool.candidates[one] for one in pool.ids], state, settings)
    factors = np.ones(pool.relevance.shape)
    for name, column in columns.items():
        own = [f for f, one in enumerate(pool.facet_ids) if one == DIRECT]
        factors[:, own if name == OF_THE_QUESTION else slice(None)] *= column[:, np.newaxis]
    if any(is_outside(vote) for vote in votes.values()):
        factors *= not_like_the_refused(pool, votes)
    return factors, columns["learned"]


def slot_rule(state: RecallState) -> SlotRule:
    """Which number decides whether a memory gets a slot; the trace keeps it."""
    if not is_unplanned(state):
        return "facets"
    if not is_text_look_up(state):
        return "score"
    return "relevance" if asks_several(state) else "hybrid ranks"


def unplanned_order(pool: Pool, final: Floats, factors: Floats, state: RecallState) -> list[str]:
    """Ids of the memories that may be returned without a plan, best first; outdated ones last, and
    in a look-up by text those that only fill slots.

    Args:
        final: relevance after votes, newer memories and factors, which may lift it above 1; a
            memory with 0 in every facet may not be returned.
        factors: without the effect of newer memories.
    """
    best: list[float] = final.max(axis=1, initial=0.0).tolist()
    scores = {one: score for one, score in zip(pool.ids, best, strict=True) if score > 0}
    replaced: set[str] = set()
    if is_text_look_up(state):
        scores = lookup_scores(pool, scores, factors, state)
        replaced = {old for old, new in pool.replaced_by.items() if new in scores}
    fillers = filling_slots(pool, state)
    named = [one for one in named_facts(state) if one in scores]
    order = dict.fromkeys([*named, *sorted(scores, key=lambda one: -scores[one])])

    def put_back(memory_id: str) -> tuple[bool, bool, bool]:
        is_outdated = "outdated_by" in pool.candidates[memory_id]
        return is_outdated, memory_id in fillers, memory_id in replaced

    return sorted(order, key=put_back)


def filling_slots(pool: Pool, state: RecallState) -> set[str]:
    """Ids of the memories that only fill slots of a look-up by text: they say little about the
    question, or an annotation calls them outdated."""
    if not is_text_look_up(state):
        return set()
    little = {
        memory_id
        for memory_id, candidate in pool.candidates.items()
        if "outdated_by" in candidate or best_text(candidate) < LEAST_RELEVANCE
    }
    return little - set(named_facts(state))


def lookup_scores(
    pool: Pool, allowed: Mapping[str, float], factors: Floats, state: RecallState
) -> dict[str, float]:
    """{memory id: score}, for the allowed memories that the question itself finds or names.

    The score is the fused rank score (or relevance, if a message asks several questions) times the
    factors. A named fact that no search found scores 0.
    """
    if DIRECT not in pool.facet_ids:
        return {}
    column = list(pool.facet_ids).index(DIRECT)
    measure: Literal["relevance", "fused"] = "relevance" if asks_several(state) else "fused"
    found = {
        one: pool.candidates[one]["scores"][DIRECT][measure] * float(factors[row, column])
        for row, one in enumerate(pool.ids)
        if one in allowed and pool.relevance[row, column] > 0
    }
    return found | {one: found.get(one, 0.0) for one in named_facts(state) if one in allowed}


def named_facts(state: RecallState) -> list[str]:
    """Ids of the facts that the question names."""
    return [
        memory_id
        for query in state.get("queries", {}).values()
        if query["origin"] == FACT_NAMED and query["facet_id"].startswith(OWN_FACET)
        for memory_id in query.get("memory_ids", [])
    ]


def answering_for_themselves(pool: Pool, factors: Floats, *, share: float) -> Pool:
    """The pool, where a memory that answers better than its newer version is not replaced.

    A newer note replaces an older one only if its relevance to the question, times its factors, is
    at least this share of the older one's.
    """
    if DIRECT not in pool.facet_ids:
        return pool
    own = (pool.relevance * factors)[:, list(pool.facet_ids).index(DIRECT)]
    answers = dict(zip(pool.ids, own.tolist(), strict=True))
    replaced_by = {
        old: new
        for old, new in pool.replaced_by.items()
        if answers.get(new, 0.0) >= share * answers.get(old, 0.0)
    }
    return replace(pool, replaced_by=replaced_by)


def close_to_one_ahead(order: Sequence[str], pool: Pool, *, limit: float) -> dict[str, str]:
    """{memory id: the one ahead that says most of it}, for the memories of which those ahead say
    more than `limit` (0..1). They come last."""
    places = {memory_id: place for place, memory_id in enumerate(order)}
    coverage = repetition_among(pool, [pool.rows[one] for one in order])
    said = np.zeros(len(coverage.owner))
    ahead: list[str] = []
    behind: dict[str, int] = {}
    for memory_id in order:
        place = places[memory_id]
        if coverage.of_candidates(said)[place] > limit:
            behind[memory_id] = len(ahead)
        else:
            ahead.append(memory_id)
            said = np.maximum(said, coverage.units[:, place])
    if not behind:
        return {}
    alone, columns = coverage.matrix(), [places[one] for one in ahead]
    return {
        memory_id: ahead[int(alone[places[memory_id], columns[:count]].argmax())]
        for memory_id, count in behind.items()
    }


def under_their_playbook(picks: Sequence[Pick], state: RecallState) -> list[Pick]:
    """The picks; one whose score comes mostly from playbooks gets the facet that suggested it."""
    suggested = suggested_facets(state)
    return [
        Pick(memory_id=pick["memory_id"], facet_id=min(by_playbooks, default=pick["facet_id"]))
        for pick in picks
        for by_playbooks in [suggested & state["candidates"][pick["memory_id"]]["scores"].keys()]
    ]


def implied_picks(pool: Pool, relevance: Floats, state: RecallState) -> list[Pick]:
    """At most k facts that the plan asks for by name, in its order, each with the facet asking."""
    best = dict(zip(pool.ids, relevance.max(axis=1, initial=0.0).tolist(), strict=True))
    asked = [one for one in state.get("queries", {}).values() if one["origin"] == FACT_ASKED]
    picks = [
        Pick(memory_id=memory_id, facet_id=one["facet_id"])
        for one in asked
        for memory_id in one.get("memory_ids", [])
        if best.get(memory_id, 0.0) > 0
    ]
    return picks[: state["k"]]


def well_founded_order(votes: Mapping[str, Vote], pool: Pool) -> list[str] | None:
    """Like `critics_order`, without memories that no search found similar to the question."""
    order = critics_order(votes)
    if order is None:
        return None
    return [one for one in order if one in pool.ids and well_founded(pool.candidates[one])]


def mostly_refused(votes: Mapping[str, Vote], state: RecallState) -> bool:
    """Whether at least half of the shortlist was voted out; a missing vote is neutral."""
    shown = state.get("shortlist", [])
    refused = [one for one in shown if one in votes and votes[one]["vote"] in SUPPRESSED]
    return 2 * len(refused) >= len(shown)


def found_since(votes: Mapping[str, Vote], state: RecallState) -> bool:
    """Whether this round's searches for the critic found something near that it has not read."""
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
