"""What changes a candidate's relevance: score factors, votes, and newer memories.

A score factor is a small function from the candidates to a column; `FACTORS` names them all. Slots
go by relevance times factors. The trace records the factors, and `explain` prints them. Votes and
newer memories change relevance itself.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import numpy as np

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.effort import is_unplanned
from secondhop.nodes.planning.question_kind import age_counts
from secondhop.nodes.selection.answerable import asks_several, best_text, is_text_look_up
from secondhop.nodes.selection.learned import learned_factor
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.source_priority import parsed_priority
from secondhop.nodes.state import DIRECT, Candidate, RecallState, Vote
from secondhop.ranking.arrays import Floats, Mask
from secondhop.ranking.decay import linear_recency
from secondhop.ranking.votes import EFFECTS, IN_FAVOUR, SUPPRESSED
from secondhop.stores.keeping import NEUTRAL

DAY = timedelta(days=1)

EXPOSURE = 0.5
"""Share of relevance that a memory loses at freshness = 1 if it was shown for the last question."""

SALIENCE = 0.2
"""The most that salience (0..1) adds to its factor or takes from it."""

Factor: TypeAlias = Callable[[Sequence[Candidate], RecallState, RankingSettings], Floats]
"""Candidates → [n_candidates], above 0; 1 changes nothing."""


def source(candidates: Sequence[Candidate], _: RecallState, settings: RankingSettings) -> Floats:
    """The priority of each candidate's source, divided by the lowest priority among the candidates.

    So written notes gain over conversations. If all are conversations, nothing changes.
    """
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
    """0.5..1, lower with age; 1 unless the question or the settings make age count.

    In a look-up by text, age counts only against newer memories that serve the question about as
    well: one place among the ranks of hybrid search is worth a few weeks of age.
    """
    counts = settings.recency == "always" or (
        settings.recency == "auto" and age_counts(state["kind"], state["question"])
    )
    if not counts:
        return np.ones(len(candidates))
    asked_at = datetime.fromisoformat(state["asked_at"])
    ages = [(asked_at - datetime.fromisoformat(one["created_at"])) / DAY for one in candidates]
    factors = linear_recency(ages, decay_days=settings.recency_days)
    if not is_text_look_up(state):
        return factors
    texts = np.array([best_text(one) for one in candidates])
    serves = texts >= SERVES_AS_WELL * texts[:, np.newaxis]
    return np.asarray(factors / np.where(serves, factors, 0.0).max(axis=1, initial=0.0))


def exposure(
    candidates: Sequence[Candidate], state: RecallState, settings: RankingSettings
) -> Floats:
    """1 - freshness / 2 .. 1, lower for memories shown lately for other questions."""
    wear = state.get("exposure", {})
    worn = np.array([wear.get(one["memory_id"], 0.0) for one in candidates])
    return np.asarray(1 - settings.freshness * EXPOSURE * worn, dtype=np.float64)


def learned(candidates: Sequence[Candidate], state: RecallState, _: RankingSettings) -> Floats:
    """Above 1 for memories that helped in sessions about similar questions; see `learned.py`."""
    if "learned" not in state:
        return np.ones(len(candidates))
    return np.array([learned_factor(one, state) for one in candidates])


def replaces(candidates: Sequence[Candidate], state: RecallState, _: RankingSettings) -> Floats:
    """Above 1 for a memory that has the score of one it replaces; see `replaced_by_newest`."""
    lent = replaced_by_newest(state)
    by_ranks = is_text_look_up(state) and not asks_several(state)
    found = state["candidates"]
    ratios = [
        own_measure(found[lent[one["memory_id"]]], by_ranks=by_ranks)
        / (own_measure(one, by_ranks=by_ranks) or 1.0)
        if one["memory_id"] in lent
        else 1.0
        for one in candidates
    ]
    return np.asarray(np.maximum(1.0, ratios), dtype=np.float64)


def replaced_by_newest(state: RecallState) -> dict[str, str]:
    """{memory id: the best of the memories that it replaces by their annotations, at once or in
    turn}, without a plan.

    It answers what that one answered, often in words far from the question ("he halved it"). The
    claim alone lifts no memory that no search found similar, and what was voted out lends nothing.
    """
    found = state["candidates"]
    outdated = [one for one in found.values() if one.get("outdated_by", "") in found]
    if not outdated or not is_unplanned(state):
        return {}
    votes, lent = last_votes(state), dict[str, str]()
    for one in sorted(outdated, key=lambda one: one["score"]):  # the best comes last
        memory_id = one["memory_id"]
        newest, seen = one, {memory_id}
        while (newer := newest.get("outdated_by", "")) in found and newer not in seen:
            seen.add(newer)
            newest = found[newer]
        is_out = memory_id in votes and keeps_out(votes[memory_id])
        if well_founded(newest) and not is_out:
            lent[newest["memory_id"]] = memory_id
    return lent


def own_measure(candidate: Candidate, *, by_ranks: bool) -> float:
    """What a memory competes with before factors: its fused rank score, or its relevance."""
    if not by_ranks:
        return candidate["score"]
    return candidate["scores"][DIRECT]["fused"] if DIRECT in candidate["scores"] else 0.0


FACTORS: Final[Mapping[str, Factor]] = {
    "source": source,
    "salience": salience,
    "recency": recency,
    "exposure": exposure,
    "learned": learned,
    "replaces": replaces,
}

NEWER = "newer"
"""Name in a trace of the loss to a newer memory; `weakened_by` decides who has it."""

UNNAMED = "unnamed"
"""Name in a trace of the loss of a memory that the critic read and did not name."""

OF_THE_QUESTION = "recency"
"""The factor that applies only to the question itself, not to a plan's facets."""


def score_factors(
    candidates: Sequence[Candidate], state: RecallState, settings: RankingSettings
) -> dict[str, Floats]:
    """{name of the factor: [n_candidates]}."""
    return {name: factor(candidates, state, settings) for name, factor in FACTORS.items()}


SERVES_AS_WELL = 0.75
"""Share of a memory's relevance to a facet that another memory must have to stand in for it."""

REPLACED_FACTOR = 0.66
"""Factor on the relevance of a memory that a newer one seems to replace."""

OUTDATED_FACTOR = 0.2
"""The same if the annotation of the newer memory says that it replaces it."""

NAMED_STEP = 0.001
"""How much less each facet of a vote counts than the one before it; the first is the main one."""

LEAST_RELEVANCE = 0.175
"""A model's vote for a memory does not count if the best calibrated relevance is below this.

Of 388 memories that a large model chose on labelled questions, none lay below 0.28. If a model
likes a memory that no search likes, the text of some memory may have talked it into that.
"""

LEAST_SUM = -1.0
"""The same for the sum of the parts, if the score is a blend: a vote counts above this sum.

Of 935 memories that a large model chose, 20 lay below 0 (ten of them were needed) and none below
-1. If there are few memories, even poor ones are shown to the model.
"""

UNNAMED_FACTOR = 0.3
"""Factor on relevance to the facets that a vote does not name, if it names any; and on all
relevance of a memory that the critic read and did not name."""


def last_votes(state: RecallState) -> dict[str, Vote]:
    """{memory id: the vote that counts}, which is the newest one.

    A vote of a person or an agent stands until one of them votes again; the critic never outranks
    it. Within a round, a person outranks an agent.
    """
    newest: dict[str, Vote] = {}
    for vote in sorted(state.get("votes", {}).values(), key=rank_of):
        newest[vote["memory_id"]] = vote
    return newest


def rank_of(vote: Vote) -> tuple[bool, int, bool]:
    """Sort key: the vote with the highest rank counts. What people refused in earlier sessions
    (round 0) outranks the critic."""
    return vote["by"] != "critic", vote["round"], vote["by"] == "person"


def is_outside(vote: Vote) -> bool:
    """Whether the vote comes from a person or an agent in this session."""
    return vote["by"] in {"person", "agent"}


def kept_ids(
    votes: Mapping[str, Vote], *, facet_ids: Collection[str] = (), shown: Sequence[str] = ()
) -> list[str]:
    """Ids of memories that people or agents voted for: hot before warm, then by round, then in the
    order in which they were shown.

    Args:
        facet_ids: branches; votes that name one of these facets are left out.
        shown: ids in the order in which answers showed them; default: the order of the votes.
    """
    places = {memory_id: place for place, memory_id in enumerate(shown)}
    chosen = [
        vote
        for vote in votes.values()
        if is_outside(vote)
        and vote["vote"] in IN_FAVOUR
        and not set(vote["facet_ids"]) & set(facet_ids)
    ]
    chosen.sort(
        key=lambda vote: (
            vote["vote"] != "hot",
            vote["round"],
            places.get(vote["memory_id"], len(places)),
        )
    )
    return [vote["memory_id"] for vote in chosen]


def judged_relevance(
    pool: Pool,
    votes: Mapping[str, Vote],
    weakened: Collection[str],
    *,
    min_score: float,
    lift: Floats | None = None,
) -> Floats:
    """[n_candidates, n_facets]: calibrated relevance after votes and newer memories.

    It is 0 for candidates that were voted out, and for those below `min_score` in every facet,
    unless the vote is from a person or an agent or names facets.

    Args:
        weakened: ids of memories that lose relevance to newer ones.
        lift: [n_candidates], factors that may lift a candidate over `min_score`; a factor below 1
            keeps none out.
    """
    relevance = pool.relevance.copy()
    column = {facet_id: index for index, facet_id in enumerate(pool.facet_ids)}
    lifted = 1.0 if lift is None else np.maximum(lift, 1.0)
    best: list[float] = (pool.relevance.max(axis=1, initial=0.0) * lifted).tolist()
    for row, memory_id in enumerate(pool.ids):
        vote = votes.get(memory_id)
        if vote is not None and not vote_counts(vote, pool.candidates[memory_id]):
            vote = None
        if memory_id in weakened:
            relevance[row] *= newer_factor(pool.candidates[memory_id])
        if vote is not None:
            relevance[row] = voted_row(relevance[row], vote, column)
        if best[row] < min_score and (vote is None or not (vote["facet_ids"] or is_outside(vote))):
            relevance[row] = 0.0
    return np.asarray(np.clip(relevance, 0.0, 1.0), dtype=np.float64)


def weakened_by(pool: Pool, votes: Mapping[str, Vote], *, min_score: float) -> dict[str, str]:
    """{memory id: the newer memory that lowers its relevance}.

    A memory that a voter has read keeps its relevance. So does a memory that serves some facet far
    better than all others, unless the annotation of a newer memory says that it replaces it.
    """
    alone = stand_alone(pool.relevance, min_score=min_score)
    found: dict[str, str] = {}
    for row, memory_id in enumerate(pool.ids):
        candidate, vote = pool.candidates[memory_id], votes.get(memory_id)
        if vote is not None and vote_counts(vote, candidate) and has_read(vote):
            continue
        if newer := candidate.get("outdated_by"):
            found[memory_id] = newer
        elif memory_id in pool.replaced_by and not alone[row]:
            found[memory_id] = pool.replaced_by[memory_id]
    return found


def newer_factor(candidate: Candidate) -> float:
    """The factor on relevance of a memory that a newer one weakens."""
    return OUTDATED_FACTOR if "outdated_by" in candidate else REPLACED_FACTOR


def stand_alone(relevance: Floats, *, min_score: float) -> Mask:
    """[n_candidates]: whether each serves some facet far better than all others do.

    A memory that seems to replace such a memory cannot stand in for it. For example, a newer résumé
    repeats a list of achievements without the figures that were asked for.
    """
    if len(relevance) < 2:
        return np.zeros(len(relevance), dtype=np.bool_)
    best = relevance.max(axis=0)
    second = np.partition(relevance, -2, axis=0)[-2]
    telling = (best >= min_score) & (second < SERVES_AS_WELL * best)
    return np.asarray(((relevance == best) & telling).any(axis=1), dtype=np.bool_)


def critics_order(votes: Mapping[str, Vote]) -> list[str] | None:
    """Ids of what the critic voted for, best first: hot before warm, later rounds before earlier.

    None: the critic has given no order. (People and agents give none; see `kept_ids`.)
    []: the critic has voted, and would return nothing.
    """
    placed = [vote for vote in votes.values() if vote.get("place") is not None]
    if not placed:
        return None
    chosen = [vote for vote in placed if vote["vote"] in IN_FAVOUR]
    chosen.sort(key=lambda vote: (vote["vote"] != "hot", -vote["round"], vote.get("place")))
    return [vote["memory_id"] for vote in chosen]


def vote_counts(vote: Vote, candidate: Candidate) -> bool:
    """False for a critic's vote in favour of a memory that is not `well_founded`."""
    in_favour = vote["vote"] in IN_FAVOUR and vote["by"] == "critic"
    return not in_favour or well_founded(candidate)


def well_founded(candidate: Candidate) -> bool:
    """Whether some search found the memory similar to the question or to a facet."""
    if "parts" in candidate and sum(candidate["parts"].values()) > LEAST_SUM:
        return True
    return candidate["score"] >= LEAST_RELEVANCE


def keeps_out(vote: Vote) -> bool:
    """Whether a vote keeps a memory out. A memory that the critic left unnamed may fill a slot."""
    return vote["vote"] in SUPPRESSED and not vote.get("unnamed")


def has_read(vote: Vote) -> bool:
    """Whether the voter has read the memory, and so overrules our guess that a newer one replaces
    it."""
    return vote["by"] != "critic" or bool(vote["facet_ids"])


def voted_row(row: Floats, vote: Vote, column: Mapping[str, int]) -> Floats:
    """One candidate's relevance after a vote."""
    if keeps_out(vote):
        return np.zeros_like(row)
    if vote.get("unnamed"):
        return row * UNNAMED_FACTOR
    named = [column[facet_id] for facet_id in vote["facet_ids"] if facet_id in column]
    if not named and not is_outside(vote):
        return row
    if not named:  # a vote without facets is about the facet that the memory serves best
        voted = row.copy()
        voted[row.argmax()] = max(row.max(), EFFECTS[vote["vote"]].relevance)
        return voted
    voted = row * UNNAMED_FACTOR
    voted[named] = EFFECTS[vote["vote"]].relevance - NAMED_STEP * np.arange(len(named))
    return voted
