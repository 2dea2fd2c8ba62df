"""Describes what searches found of a memory, and how its score was computed."""

from secondhop.graph.deciding import (
    facet_score,
    is_planned,
    keeps_hybrid_order,
    score_text,
    weighed,
)
from secondhop.graph.explanation import ScorePart
from secondhop.graph.trace import RecallTrace, TraceCandidate, TraceFacet, TraceFacetScore
from secondhop.nodes.selection.blend import (
    BROAD_CUES,
    CUES,
    HYBRID,
    NAMED,
    NUMBER,
    PLAYBOOKS,
    SIMILARITY,
    UNDERTAKING,
)
from secondhop.nodes.selection.relevance import NEWER, UNNAMED
from secondhop.nodes.state import DIRECT

MEANING = {
    CUES: "how near its cues are to the question",
    BROAD_CUES: "how near its broad cues are to the question (without any: a guess by its cues)",
    UNDERTAKING: "broad cues that it shares with the top memories",
    NUMBER: "how many cues it has",
    NAMED: "it has the words of the question that few others have",
    SIMILARITY: "how near its text is to the question",
    HYBRID: "its places in the searches by words and by similarity",
    PLAYBOOKS: "what such questions usually need",
}
"""{part of a score: what it measures}, in a few words; docs/ranking.md has the details."""


FACTOR_MEANING = {
    "source": "its kind of document",
    "salience": "its importance",
    "recency": "its age",
    "exposure": "shown lately",
    "learned": "votes in earlier sessions",
    "replaces": "what it replaces",
    NEWER: "a newer memory",
    UNNAMED: "not named by the critic",
}
"""{factor: what it stands for}, in a few words; docs/ranking.md has the details."""


def found_story(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Which queries found it, and at which places of their rankings; the best three."""
    found = [
        (hit.rank, query.round, query.text, f"by {way} at place {hit.rank}")
        for query in trace.queries
        for way, hits in (("similarity", query.dense), ("words", query.lexical))
        for hit in hits
        if hit.memory_id == candidate.memory_id
    ]
    if not found:
        return f"Playbooks or cues brought it in round {candidate.first_round}; no text search did."
    places: dict[int, dict[str, list[str]]] = {}
    for _, number, text, place in sorted(found)[:3]:
        places.setdefault(number, {}).setdefault(text, []).append(place)
    rounds = [
        f"in round {number}: "
        + "; ".join(f"{', '.join(found_at)} for “{text}”" for text, found_at in by_text.items())
        for number, by_text in sorted(places.items())
    ]
    return f"By its text alone, searches found it {'; '.join(rounds)}."


def facet_stories(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """What searches measured, for its best three facets; without a plan, for the question only."""
    names = {facet.facet_id: facet for facet in trace.facets}
    if not is_planned(trace):
        moved = ", as votes moved it" * any(query.origin == "refine" for query in trace.queries)
        return [
            f"Nearness of its text to the question{moved}: {nearness(score)}."
            for score in candidate.facet_scores
            if score.facet_id == DIRECT and score.dense
        ]
    return [
        f"For “{names[score.facet_id].name}”{hop_of(names[score.facet_id])} it was found at place "
        f"{score.rank}" + (f" ({nearness(score)})." if score.dense else ".")
        for score in candidate.facet_scores[:3]
    ]


def nearness(score: TraceFacetScore) -> str:
    """How near a text is to what was searched for, in meaning and in words."""
    return f"in meaning {score.dense:.2f}, in words {score.lexical:.2f}"


def hop_of(facet: TraceFacet) -> str:
    """The hop of a facet, in words; "" for the question itself, where cues may add a second hop."""
    return "" if facet.facet_id == DIRECT else f" (hop {facet.hop})"


def made(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """How its score came about before factors."""
    told = score_text(trace, weighed(trace, candidate).found)
    if keeps_hybrid_order(trace):
        return [
            f"The question was taken for a look-up, so its places in both searches decide: a score "
            f"of {told}."
        ]
    facet = next((one for one in trace.facets if one.facet_id == candidate.slot_facet), None)
    if is_planned(trace):
        served = f"For “{facet.name}”{hop_of(facet)}" if facet else "Where it serves best"
        return [f"{served} searches give a score of {told} on a scale from 0 to 1."]
    if trace.settings.get("slots.by") == "relevance" or not candidate.parts:
        return [f"Searches give a score of {told} on a scale from 0 to 1."]
    together, own = sum(candidate.parts.values()), facet_score(candidate, DIRECT)
    by_question = told if own is None else score_text(trace, own.relevance)
    parts = (
        f"Each part compares it with the other candidates: + is above their mean, - below it. They "
        f"add up to {together:+.2f}: a score of {by_question} on a scale from 0 to 1."
    )
    if by_question == told:
        return [parts]
    best = max(candidate.facet_scores, key=lambda one: one.relevance, default=None)
    best_id = "" if best is None else best.facet_id
    asked = next((one.name for one in trace.facets if one.facet_id == best_id), "")
    return [parts, f"For “{asked}”, which was asked for, too, searches give {told}; that counts."]


def changed(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """How the factors changed its score; [] if none did."""
    score, told = weighed(trace, candidate).score, factors_in_words(trace, candidate)
    if not told:
        return []
    above = ", which is above that scale" if score > 1 else ""
    return [f"Then {', '.join(told)}: a score of {score_text(trace, score)}{above}."]


def factors_in_words(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """The factors that changed its score, like "votes in earlier sessions × 0.95"."""
    return [
        f"{FACTOR_MEANING.get(name, name)} × {factor:.2f}"
        for name, factor in weighed(trace, candidate).factors.items()
    ]


def score_parts(trace: RecallTrace, candidate: TraceCandidate) -> list[ScorePart]:
    """What each part added to its score, largest first; parts that round to 0.00 are left out.
    [] if the parts did not decide."""
    if keeps_hybrid_order(trace) or trace.settings.get("slots.by") == "relevance":
        return []
    by_size = sorted(candidate.parts.items(), key=lambda part: -abs(part[1]))
    return [
        ScorePart(name=name, meaning=MEANING.get(name, ""), added=round(part, 2))
        for name, part in by_size
        if abs(part) >= 0.005
    ]
