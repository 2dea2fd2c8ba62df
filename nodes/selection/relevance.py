"""What a candidate's relevance comes to: score factors, votes, and newer memories.

A score factor is a small function from the candidates to a column; `FACTORS` names them all. The
slots are given by relevance times factors, the trace records them, and `explain` prints them. Votes
and what newer memories replace change relevance itself. `answerable` says whether anything is near
enough to the question for an answer.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import numpy as np

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.planning.question_kind import LOOKUPS, age_counts, names_in
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.source_priority import parsed_priority
from secondhop.nodes.state import DIRECT, Candidate, FacetScore, QuestionKind, RecallState, Vote
from secondhop.ranking.arrays import Floats, Mask
from secondhop.ranking.decay import linear_recency
from secondhop.ranking.votes import EFFECTS, IN_FAVOUR, SUPPRESSED
from secondhop.ranking.words import words
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
"""What a newer memory makes of it, in a trace; `weakened_by` says where."""

UNNAMED = "unnamed"
"""What it costs, in a trace, that the critic read it and did not name it."""

OF_THE_QUESTION = "recency"
"""The factor that weighs on the question itself alone, and not on a plan's facets."""


def score_factors(
    candidates: Sequence[Candidate], state: RecallState, settings: RankingSettings
) -> dict[str, Floats]:
    """Every factor as a column, by its name."""
    return {name: factor(candidates, state, settings) for name, factor in FACTORS.items()}


SERVES_AS_WELL = 0.75
"""Share of a memory's relevance to a facet that one who stands in for it must have."""

REPLACED_FACTOR = 0.66
"""What the relevance of a memory is worth while a newer one seems to replace it."""

OUTDATED_FACTOR = 0.2
"""The same where the annotation of the newer one says so."""

NAMED_STEP = 0.001
"""What each facet named later takes from it: the first is the one that the memory is for."""

LEAST_RELEVANCE = 0.175
"""Best calibrated relevance below which a model's vote for a memory is not believed.

Of 388 memories that a large model chose on labelled questions, none lay below 0.28: what a model
likes and no search does, some text may have talked it into.
"""

LEAST_SUM = -1.0
"""The same of the sum of its parts, where its score is one. Of 935 memories that a large model
chose, 20 lay below 0, ten of them needed, and none below -1: among few memories many are shown."""

UNNAMED_FACTOR = 0.3
"""What the relevance to other facets is worth, once a ballot named the ones it serves; and all
relevance, where the critic left the memory unnamed."""


def last_votes(state: RecallState) -> dict[str, Vote]:
    """The vote that counts on each memory: the newest.

    What a person or an agent said stands until one of them says something else: no vote of the
    critic outranks it, in no round. In one round a person outranks an agent.
    """
    newest: dict[str, Vote] = {}
    for vote in sorted(state.get("votes", {}).values(), key=rank_of):
        newest[vote["memory_id"]] = vote
    return newest


def rank_of(vote: Vote) -> tuple[bool, int, bool]:
    """Votes with a higher rank outrank those with a lower one; what people refused in earlier
    sessions (round 0) outranks the critic."""
    return vote["by"] != "critic", vote["round"], vote["by"] == "person"


def is_outside(vote: Vote) -> bool:
    """Whether a person or an agent has voted in this session, and not the critic."""
    return vote["by"] in {"person", "agent"}


def kept_ids(
    votes: Mapping[str, Vote], *, facet_ids: Collection[str] = (), shown: Sequence[str] = ()
) -> list[str]:
    """What people and agents voted for: hot before warm, then by round, then as they were shown.

    Args:
        facet_ids: votes that name one of these are left out: they are about a branch.
        shown: ids in the order in which answers showed them; default: as the votes came.
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
    """[n_candidates, n_facets]: calibrated relevance as votes and suspicions leave it.

    0 for everything suppressed, and for candidates below `min_score` in every facet that have no
    vote for them.

    Args:
        weakened: ids of those that count less because of newer ones.
        lift: [n_candidates], factors that may bring a candidate over `min_score`; those below 1
            keep none out.
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
    """{memory id: the newer memory because of which it counts less}.

    What a voter has read keeps its weight; so does what serves some facet as nothing else does,
    unless the annotation of the newer one speaks against it.
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
    """What the relevance of a memory is worth that something newer weakens."""
    return OUTDATED_FACTOR if "outdated_by" in candidate else REPLACED_FACTOR


def stand_alone(relevance: Floats, *, min_score: float) -> Mask:
    """[n_candidates]: whether each serves some facet as nothing else does.

    What seems to replace such a memory does not serve for it: a newer résumé says what a list of
    achievements says, without the figures that were asked for.
    """
    if len(relevance) < 2:
        return np.zeros(len(relevance), dtype=np.bool_)
    best = relevance.max(axis=0)
    second = np.partition(relevance, -2, axis=0)[-2]
    telling = (best >= min_score) & (second < SERVES_AS_WELL * best)
    return np.asarray(((relevance == best) & telling).any(axis=1), dtype=np.bool_)


def critics_order(votes: Mapping[str, Vote]) -> list[str] | None:
    """What the critic voted for, best first: hot before warm, the latest round before earlier ones.

    None: it has given no order (people and agents give none; see `kept_ids`).
    []: it has, and would return nothing.
    """
    placed = [vote for vote in votes.values() if vote.get("place") is not None]
    if not placed:
        return None
    chosen = [vote for vote in placed if vote["vote"] in IN_FAVOUR]
    chosen.sort(key=lambda vote: (vote["vote"] != "hot", -vote["round"], vote.get("place")))
    return [vote["memory_id"] for vote in chosen]


def vote_counts(vote: Vote, candidate: Candidate) -> bool:
    """Whether a vote counts: a critic's for what no search found like the question does not."""
    in_favour = vote["vote"] in IN_FAVOUR and vote["by"] == "critic"
    return not in_favour or well_founded(candidate)


def well_founded(candidate: Candidate) -> bool:
    """Whether some search found it like the question."""
    if "parts" in candidate and sum(candidate["parts"].values()) > LEAST_SUM:
        return True
    return candidate["score"] >= LEAST_RELEVANCE


def keeps_out(vote: Vote) -> bool:
    """Whether a vote is against a memory: what a critic leaves unnamed may still fill a slot."""
    return vote["vote"] in SUPPRESSED and not vote.get("unnamed")


def has_read(vote: Vote) -> bool:
    """Whether the voter has read the memory, and so may overrule a suspicion of ours."""
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
    if not named:  # who says only how good it is, says it of what the memory serves best
        voted = row.copy()
        voted[row.argmax()] = max(row.max(), EFFECTS[vote["vote"]].relevance)
        return voted
    voted = row * UNNAMED_FACTOR
    voted[named] = EFFECTS[vote["vote"]].relevance - NAMED_STEP * np.arange(len(named))
    return voted


ANSWERABLE: Mapping[QuestionKind, float] = {
    "factual": 0.8,
    "temporal": 0.8,
    "conceptual": 0.57,
    "procedural": 0.57,
}
"""How near, as a share of `min_score`, something must be to the question itself.

A question for a fact is not answered by what surrounds the fact. A question for help may be, even
if no memory is about it. Without anything that near, nothing is returned.
"""


FULL_SIZE = 80
"""Memories from which on `ANSWERABLE` holds as it is for a question for help. The best of fewer is
less near by chance alone, and to withhold the one allergy that somebody noted is worse than to give
a note too many (docs/benchmarks.md)."""


RARE = 0.25
"""Share of the candidates that may hold a name, for it to tell them apart."""


CUES_ANSWER = 0.5
"""Similarity of a specific cue to the question, as in `CueHits`, from which on something was stored
for it. Of 108 questions that were put to other people's memories none reached it; of 36 to their
own a third did, and the text of a memory was near to all others."""


def answerable(
    state: RecallState, kind: QuestionKind, *, min_score: float, named: bool = False
) -> tuple[bool, float, float]:
    """Whether anything stored is about the question: (yes or no, best direct score, bar).

    Yes, too, where something was stored for such a question, and where the question's own search
    failed, so that it cannot be known.

    Args:
        named: a name of the question tells some memories apart; then yes, too.
    """
    candidates = state.get("candidates", {})
    direct = [
        text_relevance(candidate["scores"][DIRECT])
        for candidate in candidates.values()
        if DIRECT in candidate["scores"]
    ]
    best, bar = max(direct, default=0.0), ANSWERABLE[kind] * min_score
    if kind not in LOOKUPS:
        bar *= min(1.0, max(len(direct), compared_with(state)) / FULL_SIZE)
    unknown = bool(candidates) and not direct
    yes = best >= bar or nearest_cue(state) >= CUES_ANSWER or named or unknown
    return yes, best, bar


def named_in_question(pool: Pool, question: str) -> dict[str, str]:
    """{memory id: the name of the question that stands in its texts, and not in most}.

    Embedding models know few names of persons, and find little in a note of three words about one.
    """
    names = names_in(question)
    if not names:
        return {}
    said = {one: {*words(" ".join(texts))} for one, texts in pool.texts.items()}
    most = max(1, round(RARE * len(said)))
    found: dict[str, str] = {}
    for name in names:
        having = [one for one, own in said.items() if {*words(name)} <= own]
        if len(having) <= most:
            found = dict.fromkeys(having, name) | found
    return found


def compared_with(state: RecallState) -> int:
    """Memories whose text was compared with the question, kept as candidates or not."""
    own = state.get("rankings", {}).get("q0")
    return len({*own["dense"]["memory_ids"]}) if own else 0


def nearest_cue(state: RecallState) -> float:
    """How near the nearest specific cue is to the question; 0 where nothing has cues."""
    own = state.get("rankings", {}).get("q0")
    return own["cues"]["nearest"] if own and "cues" in own else 0.0


def text_relevance(score: FacetScore) -> float:
    """Calibrated relevance of the text alone, 0..1."""
    return score.get("text", score["relevance"])
