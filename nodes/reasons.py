"""Writes one sentence on why a memory is in an answer, or beside it."""

from collections.abc import Mapping

from secondhop.nodes.pick import NOT_NEAR
from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.selection.answerable import text_relevance
from secondhop.nodes.selection.blend import BROAD_CUES, CUES, HYBRID, SIMILARITY, UNDERTAKING
from secondhop.nodes.selection.relevance import (
    LEAST_RELEVANCE,
    last_votes,
    replaced_by_newest,
)
from secondhop.nodes.state import DIRECT, Candidate, Drop, FacetScore, QuestionKind, RecallState
from secondhop.ranking.votes import IN_FAVOUR

NEAR = 0.3
"""Relevance from which a memory is called near the question; below, it is among the nearest."""

LEAST_NEAR = 0.1
"""Relevance below which a memory is not even called one of the nearest."""

WEAK = "It fills a free place: little of it is about the question."
"""The reason of a memory that only fills a free slot; `RecalledMemory.weak` marks it."""

LEADS = "Nearer to the question than all others, both by words and by similarity."
"""The reason of a memory that scores low, for example because it has no cues, and that both
searches put first."""


def why(facet_id: str, candidate: Candidate, state: RecallState) -> str:
    """One sentence: which facet the memory serves, and what found it."""
    score = candidate["scores"].get(facet_id)
    if score is None or score["relevance"] < LEAST_NEAR:  # another facet found it
        facet_id, score = max(candidate["scores"].items(), key=lambda item: item[1]["relevance"])
    facet = state["facets"][facet_id]
    query = state["queries"][score["query_ids"][0]]
    older = state["candidates"].get(replaced_by_newest(state).get(candidate["memory_id"], ""))
    if older is not None and older["score"] > candidate["score"]:
        return f"It replaces “{older['title']}”, which is nearer to the question."
    if "proved_for" in candidate and (facet_id == DIRECT or query["origin"] == "playbook"):
        return f"A session proved it useful for “{candidate['proved_for']}”."
    if facet_id == DIRECT and cues_decide(candidate):
        parts = candidate.get("parts", {})
        cue, shared = candidate.get("cue", ""), candidate.get("undertaking", "")
        others = like_others(candidate, state) if undertaking_lifts(shared, parts) else ""
        return f"Stored for “{telling_cue(cue, shared, parts)}”{others}."
    if facet_id == DIRECT and score["relevance"] < NEAR:
        return why_not_near(candidate, score, state)
    if facet_id == DIRECT:
        return why_of_question(score)
    helps = facet["why"].rstrip(".")
    if query["origin"] == "playbook":
        helps = helps[:1].lower() + helps[1:]
        return f"For “{facet['name']}”, part of what such questions usually need: {helps}."
    return f"{helps}: found for “{facet['name']}” with “{query['text']}”."


def why_not_near(candidate: Candidate, score: FacetScore, state: RecallState) -> str:
    """One sentence about a memory that serves the question itself, but is not near it by score."""
    memory_id = candidate["memory_id"]
    vote = last_votes(state).get(memory_id)
    if vote is not None and vote["vote"] in IN_FAVOUR:
        reason = f": {vote['reason'].rstrip('.')}" if vote["reason"] else ""
        return f"Chosen by the {vote['by']}{reason}."
    name = state.get("named", {}).get(memory_id)
    if score["relevance"] < LEAST_NEAR and name:
        return f"It mentions “{name}”, as the question does."
    if leads(memory_id, state):
        return LEADS
    return why_of_question(score)


def leads(memory_id: str, state: RecallState) -> bool:
    """Whether both searches, by words and by similarity, put it first for the question itself."""
    own = state.get("rankings", {}).get("q0")
    return own is not None and all(
        hits["memory_ids"][:1] == [memory_id] for hits in (own["dense"], own["lexical"])
    )


def why_of_question(score: FacetScore) -> str:
    """One sentence about a memory that serves the question itself.

    The score is relative to the other stored memories; if there are only a few, none stands out.
    """
    if score["relevance"] >= NEAR:
        return "Near the question itself."
    if score["relevance"] >= LEAST_NEAR:
        return "Among the nearest to the question."
    if text_relevance(score) >= LEAST_RELEVANCE:
        return "Its words are near the question's, but it hardly stands out among what is stored."
    return WEAK


def cues_decide(candidate: Candidate) -> bool:
    """Whether cues add more to the score than the text does; if it has no parts, whether they raise
    it."""
    if "parts" not in candidate:
        return "cue" in candidate
    parts = candidate["parts"]
    by_cues = sum(parts.get(part, 0.0) for part in (CUES, BROAD_CUES, UNDERTAKING))
    return "cue" in candidate and by_cues > parts.get(SIMILARITY, 0.0) + parts.get(HYBRID, 0.0)


def like_others(candidate: Candidate, state: RecallState) -> str:
    """Words that say that another memory of the answer is stored for the same; "" if none is."""
    others = {pick["memory_id"] for pick in state.get("picks", [])} - {candidate["memory_id"]}
    shared = candidate.get("undertaking")
    alike = any(state["candidates"][one].get("undertaking") == shared for one in others)
    return ", like others of this answer" if alike else ""


def telling_cue(cue: str, undertaking: str, parts: Mapping[str, float]) -> str:
    """The cue that a story names: the broad cue that the memory shares with the top memories if
    that adds most to its score, else its cue nearest to the question; "" if it has neither."""
    return undertaking if undertaking_lifts(undertaking, parts) else cue


def undertaking_lifts(undertaking: str, parts: Mapping[str, float]) -> bool:
    """Whether the shared undertaking adds more to the score than the memory's own cues."""
    own = max(parts.get(CUES, 0.0), parts.get(BROAD_CUES, 0.0))
    return bool(undertaking) and parts.get(UNDERTAKING, 0.0) > own


def cut_by(drop: Drop, kind: QuestionKind) -> str:
    """The stage and the reason of a drop, in one sentence."""
    told = f"{drop['stage']}: {drop['reason']}"
    if drop["score"] is None or drop["threshold"] is None:
        return told
    if drop["reason"] == NOT_NEAR:
        return f"{told} ({match_needed(drop['score'], drop['threshold'], kind)})"
    return f"{told} (its score is {drop['score']:.3f}, and {drop['threshold']:.3f} is needed)"


def match_needed(enough: float, setting: float, kind: str) -> str:
    """The highest `ranking.min_score` that would give an answer, beside the one that was set.

    How near the best match is would say nothing: what it needs depends on the question's kind and
    on how much is stored.
    """
    taken = "the question was taken for a look-up, and " * (kind in LOOKUPS)
    return (
        f"{taken}the best match would do with a ranking.min_score of {rounded_down(enough):.2f}; "
        f"it is {setting:g}"
    )


def rounded_down(score: float) -> float:
    """A score with two digits that is not higher, so that the score reaches it."""
    return int(score * 100) / 100
