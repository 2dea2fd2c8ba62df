"""How near every passage that a recall found is to the question and its facets.

For recalls that fill a number of tokens: there the passages compete, not their memories.
"""

import re
from collections.abc import Mapping
from typing import TypeAlias

from secondhop.nodes.eligibility import SUPPRESSED, has_read, last_votes
from secondhop.nodes.state import DIRECT, Hit, Query, Ranking, RecallState
from secondhop.stores.records import Passage

PassageScores: TypeAlias = dict[str, float]
"""{passage id: score}, higher is better; comparable within one recall only."""

LEXICAL_SHARE = 0.5
"""Share of the words in a passage's score; the rest is its cosine.

Best between 0.3 and 0.5 on dialogues and articles, at 0.6 on the records of a phone.
"""

PLAYBOOK_SHARE = 0.05
"""What a playbook's facet counts against one made for this very question: it breaks ties."""

PLAYBOOK_SHARE_OF_HELP = 0.5
"""The same, where somebody asks for help and does not look something up."""

FIRST_PERSON = re.compile(r"\b(I|me|my|we|us|our)\b", re.I)

LOOKS_BACK = re.compile(
    r"\b(did|was|were|had|have I|which|who|whom|whose|when|brought up|mentioned|conversations?)\b",
    re.I,
)
"""Words of a question about something that is known already, wherever they stand in it."""

NEIGHBOUR_SHARE = 0.3
"""What the shortest passage gains from the better one of those right before and after it."""

SELF_CONTAINED_TOKENS = 100
"""Passages from this length on speak for themselves and gain nothing."""

VOTED = {"hot": 1.5, "warm": 1.2}
"""What a vote of somebody who has read the memory makes of its passages' scores."""


def passage_scores(state: RecallState) -> PassageScores:
    """Every found passage of a candidate that nobody voted out.

    The sum over the facets of what the passage does for the facet, by the facet's weight; a
    facet's queries count once, by the best of them.
    """
    best: dict[str, PassageScores] = {}
    weights: dict[str, float] = {}
    owners = owners_of(state)
    for query_id, ranking in state.get("rankings", {}).items():
        query = state["queries"][query_id]
        facet = best.setdefault(query["facet_id"], {})
        weights[query["facet_id"]] = facet_weight(query, state)
        for passage_id, score in ranking_scores(ranking).items():
            facet[passage_id] = max(facet.get(passage_id, 0.0), score)
    scores: PassageScores = {}
    for facet_id, found in best.items():
        for passage_id, score in found.items():
            if passage_id in owners:
                added = weights[facet_id] * score * owners[passage_id]
                scores[passage_id] = scores.get(passage_id, 0.0) + added
    return scores


def ranking_scores(ranking: Ranking) -> PassageScores:
    """What one query found: a convex combination of both legs, each brought to 0..1.

    cosines by the least and the most of the dense leg, words by the most of the lexical leg.

    Source: Bruch, Gai & Ingber, ACM TOIS 2023, doi:10.1145/3596512: better than fused ranks.
    """
    cosines = ranking["cosines"] | scores_of(ranking["dense"])
    words = scores_of(ranking["lexical"])
    near = [hit["score"] for hit in ranking["dense"]] or list(cosines.values())
    low, high = min(near, default=0.0), max(cosines.values(), default=0.0)
    most = max(words.values(), default=0.0) or 1.0
    spread = high - low
    return {
        passage_id: (1 - LEXICAL_SHARE) * share(cosines.get(passage_id, low) - low, of=spread)
        + LEXICAL_SHARE * words.get(passage_id, 0.0) / most
        for passage_id in {**cosines, **words}
    }


def scores_of(hits: list[Hit]) -> PassageScores:
    """{passage id: score in the leg}."""
    return {hit["passage_id"]: hit["score"] for hit in hits}


def share(part: float, *, of: float) -> float:
    """part / of, not below 0; 1 where everything is the same."""
    return max(0.0, part / of) if of > 0 else 1.0


def owners_of(state: RecallState) -> dict[str, float]:
    """{passage id: what votes make of its score}; only of candidates that may be returned."""
    votes, candidates = last_votes(state), state.get("candidates", {})
    factors: dict[str, float] = {}
    for memory_id in candidates:
        vote = votes.get(memory_id)
        if vote is None or not has_read(vote):
            factors[memory_id] = 1.0
        elif vote["vote"] not in SUPPRESSED:
            factors[memory_id] = VOTED.get(vote["vote"], 1.0)
    return {
        hit["passage_id"]: factors[hit["memory_id"]]
        for ranking in state.get("rankings", {}).values()
        for hit in [*ranking["dense"], *ranking["lexical"]]
        if hit["memory_id"] in factors
    }


def facet_weight(query: Query, state: RecallState) -> float:
    """Against 1 for the question itself."""
    facets = state["facets"]
    if query["facet_id"] == DIRECT:
        return 1.0
    weight = facets[query["facet_id"]]["weight"] / facets[DIRECT]["weight"]
    if query["origin"] != "expand" or not is_offline(state):
        return weight
    return weight * (PLAYBOOK_SHARE_OF_HELP if asks_for_help(state) else PLAYBOOK_SHARE)


def asks_for_help(state: RecallState) -> bool:
    """Whether the question wants more than a fact: "Help me prepare for my interview".

    Stricter than the kind of question, which takes every long question for a conceptual one.
    """
    question = state["question"]
    last = question.strip().rsplit(". ", 1)[-1]
    looked_up = state["kind"] in {"factual", "temporal"} or LOOKS_BACK.search(last)
    return not looked_up and FIRST_PERSON.search(question) is not None


def is_offline(state: RecallState) -> bool:
    """Whether the implied facets come from playbooks."""
    return not state.get("spent", {}).get("llm_calls") or "expand" in state.get("degraded", {})


def with_neighbours(scores: Mapping[str, float], passages: Mapping[str, Passage]) -> PassageScores:
    """Short turns beside a good one gain: a reply is found by the words of what it replies to."""
    known = {passage_id: passages[passage_id] for passage_id in scores if passage_id in passages}
    places = {(p.memory_id, p.ordinal): scores[passage_id] for passage_id, p in known.items()}
    joined: PassageScores = {}
    for passage_id, own in known.items():
        beside = [places.get((own.memory_id, own.ordinal + step), 0.0) for step in (-1, 1)]
        need = max(0.0, 1 - own.tokens / SELF_CONTAINED_TOKENS)
        joined[passage_id] = scores[passage_id] + NEIGHBOUR_SHARE * need * max(beside)
    return joined
