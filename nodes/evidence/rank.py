"""Scores every passage that a recall found, for the question and its facets.

This is for recalls that fill a budget of tokens. There passages compete, not memories.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeAlias

from secondhop.nodes.evidence.dates import named_spans, nearness
from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.retrieval.similarity import cosines_of, rows, scores_of
from secondhop.nodes.selection.blend import BROAD_CUES, CUES, PLAYBOOKS, UNDERTAKING
from secondhop.nodes.selection.relevance import OUTDATED_FACTOR, has_read, last_votes
from secondhop.nodes.state import DIRECT, RecallState
from secondhop.ranking.votes import EFFECTS, SUPPRESSED

PassageScores: TypeAlias = dict[str, float]
"""{passage id: score}, higher is better; comparable within one recall only."""

LEXICAL_SHARE = 0.4
"""Weight of the lexical search in a passage's score; the rest is its cosine.

Dialogues and articles do best between 0.3 and 0.4; for records of a phone it makes no difference.
"""

FLOOR_SHARE = 0.5
"""Share of the best cosine that counts as 0, because texts about other things still reach it."""

SHARPNESS = 3
"""Exponent of the p-norm over the facets: 1 adds them up, infinity takes the best of them.

At 3, a passage that serves one facet well comes before one that serves all of them a little.
"""

DATE_GAIN = 1.0
"""Added to the factor of a passage if its memory was written at the time that the question names.
"""

MEANT = (CUES, BROAD_CUES, UNDERTAKING, PLAYBOOKS)
"""The parts of a memory's score that do not come from its text."""

MEANT_FULL = 3.0
"""The sum of these parts at which a memory counts as much as the passage nearest to the question.
"""

TINY = 1e-9
"""Added to scores so that if all passages of a memory score 0, each of them is its best."""


def best_first(scores: Mapping[str, float]) -> list[str]:
    """Ids, highest score first; ties go to the smaller id."""
    return sorted(scores, key=lambda passage_id: (-scores[passage_id], passage_id))


def passage_scores(state: RecallState) -> PassageScores:
    """Scores of all passages found, without those of memories that were voted out.

    The score is a p-norm over the facets (score of the facet's best query times its weight) and
    what cues and playbooks say (`meant_scores`), times the factors of votes and dates.

    Source: Salton, Fox & Wu, CACM 1983, doi:10.1145/182.358466 (p-norm).
    """
    best: dict[str, PassageScores] = {}
    weights: dict[str, float] = {}
    for query_id, ranking in state.get("rankings", {}).items():
        facet_id = state["queries"][query_id]["facet_id"]
        facet = best.setdefault(facet_id, {})
        weights[facet_id] = 1.0 if facet_id == DIRECT else state["facets"][facet_id]["weight"]
        found = combined(cosines_of(ranking), scores_of(ranking["lexical"]))
        for passage_id, score in found.items():
            facet[passage_id] = max(facet.get(passage_id, 0.0), score)
    powers: PassageScores = {}
    for facet_id, found in best.items():
        for passage_id, score in found.items():
            power = (weights[facet_id] * score) ** SHARPNESS
            powers[passage_id] = powers.get(passage_id, 0.0) + power
    owners = owners_of(state)
    for passage_id, score in meant_scores(powers, state).items():
        powers[passage_id] += score**SHARPNESS
    return {p: powers[p] ** (1 / SHARPNESS) * owners[p] for p in powers if p in owners}


def meant_scores(powers: PassageScores, state: RecallState) -> PassageScores:
    """{passage id: 0..1}, what cues and playbooks say about its memory.

    The best passage of each memory gets the full value, the others less, in proportion to their
    scores. {} for a look-up.
    """
    if state["kind"] in LOOKUPS:
        return {}
    meant = {
        memory_id: min(1.0, sum(one["parts"].get(name, 0.0) for name in MEANT) / MEANT_FULL)
        for memory_id, one in state.get("candidates", {}).items()
        if "parts" in one
    }
    found = {
        passage_id: memory_id
        for ranking in state.get("rankings", {}).values()
        for hits in (ranking["dense"], ranking["lexical"])
        for passage_id, memory_id, _ in rows(hits)
        if meant.get(memory_id, 0.0) > 0 and passage_id in powers
    }
    best: dict[str, float] = {}
    for passage_id, memory_id in found.items():
        best[memory_id] = max(best.get(memory_id, TINY), powers[passage_id] + TINY)
    return {
        passage_id: meant[memory_id] * (powers[passage_id] + TINY) / best[memory_id]
        for passage_id, memory_id in found.items()
    }


def combined(cosines: Mapping[str, float], words: Mapping[str, float]) -> PassageScores:
    """{passage id: score} for one query: a convex combination of both searches, each in 0..1.

    Cosines are scaled from `FLOOR_SHARE` of the highest to the highest, lexical scores from 0.

    Source: Bruch, Gai & Ingber, ACM TOIS 2023, doi:10.1145/3596512: better than fused ranks.
    """
    high = max(cosines.values(), default=0.0)
    low, most = FLOOR_SHARE * high, max(words.values(), default=0.0) or 1.0
    return {
        passage_id: (1 - LEXICAL_SHARE) * share(cosines.get(passage_id, low) - low, of=high - low)
        + LEXICAL_SHARE * words.get(passage_id, 0.0) / most
        for passage_id in {**cosines, **words}
    }


def share(part: float, *, of: float) -> float:
    """part / of, at least 0; 0.0 if `of` is not above 0."""
    return max(0.0, part / of) if of > 0 else 0.0


def owners_of(state: RecallState) -> dict[str, float]:
    """{passage id: factor of votes and dates}, without passages of memories that were voted out."""
    voted, dated = voted_factors(state), date_factors(state)
    return {
        passage_id: voted[memory_id] * dated.get(memory_id, 1.0)
        for ranking in state.get("rankings", {}).values()
        for hits in (ranking["dense"], ranking["lexical"])
        for passage_id, memory_id, _ in rows(hits)
        if memory_id in voted
    }


def voted_factors(state: RecallState) -> dict[str, float]:
    """{memory id: factor of votes, or of a newer memory that replaces it, on its passages' scores};
    memories that were voted out are missing."""
    votes, factors = last_votes(state), dict[str, float]()
    for memory_id, candidate in state.get("candidates", {}).items():
        vote = votes.get(memory_id)
        if vote is None or not has_read(vote):
            factors[memory_id] = OUTDATED_FACTOR if "outdated_by" in candidate else 1.0
        elif vote["vote"] not in SUPPRESSED:
            factors[memory_id] = EFFECTS[vote["vote"]].passages
    return factors


def date_factors(state: RecallState) -> dict[str, float]:
    """{memory id: factor of its date on its passages' scores}; {} if the question names no time."""
    asked_on = datetime.fromisoformat(state["asked_at"]).date()
    spans = named_spans(state["question"], asked_on=asked_on)
    if not spans:
        return {}
    return {
        memory_id: 1
        + DATE_GAIN * nearness(datetime.fromisoformat(candidate["created_at"]).date(), spans)
        for memory_id, candidate in state.get("candidates", {}).items()
    }
