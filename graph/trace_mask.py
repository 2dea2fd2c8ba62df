"""Removes the words of forgotten memories from a trace; ids, ranks and scores stay."""

from collections.abc import Collection, Iterable

from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceFacet,
    TraceHidden,
    TraceMiss,
    TracePreference,
    TraceQuery,
)
from secondhop.ranking.stop_words import STOP_WORDS, TASK_WORDS
from secondhop.ranking.words import words

MASKED = "(masked)"

OWN_WORDS = frozenset({"question", "playbook"})
"""Origins of queries that no model wrote, so they contain no text of a memory."""


def masked(trace: RecallTrace, memory_ids: Collection[str], *, texts: Iterable[str]) -> RecallTrace:
    """The trace without the words of these memories; `texts` are theirs.

    Everything that models wrote is masked, because a trace does not say which memories they had
    read. In the question, and in those of sessions, the words that the memories contain are masked.
    """
    gone = frozenset({*trace.forgotten, *memory_ids})
    secret = {word for text in texts for word in words(text)} - STOP_WORDS - TASK_WORDS
    own_facets = {one.facet_id for one in trace.queries if one.origin in OWN_WORDS}
    return trace.model_copy(
        update={
            "question": _without(secret, trace.question),
            "forgotten": sorted(gone),
            "facets": [_facet(one, own_facets, secret) for one in trace.facets],
            "queries": [_query(one, secret) for one in trace.queries],
            "candidates": [_candidate(one, gone, secret) for one in trace.candidates],
            "hidden": [_hidden(one, gone) for one in trace.hidden],
            "preferences": [_preference(one, gone) for one in trace.preferences],
            "steps": [
                one.model_copy(update={"note": "", "error": _head(one.error)})
                for one in trace.steps
            ],
            "evidence": {one: ids for one, ids in trace.evidence.items() if one not in gone},
            "near_misses": [_near_miss(one) for one in trace.near_misses],
            "stop_detail": MASKED if trace.stop_detail else "",
            "degraded": [_head(reason) for reason in trace.degraded],
        }
    )


def _without(secret: Collection[str], text: str) -> str:
    """The text, with each token masked that contains a secret word."""
    return " ".join(
        MASKED if any(word in secret for word in words(token)) else token
        for token in text.split(" ")
    )


def _facet(facet: TraceFacet, own: Collection[str], secret: Collection[str]) -> TraceFacet:
    if facet.facet_id in own:
        return facet.model_copy(update={"name": _without(secret, facet.name)})
    return facet.model_copy(update={"name": MASKED, "why": MASKED})


def _query(query: TraceQuery, secret: Collection[str]) -> TraceQuery:
    text = _without(secret, query.text) if query.origin in OWN_WORDS else MASKED
    return query.model_copy(update={"text": text, "error": _head(query.error)})


def _candidate(
    candidate: TraceCandidate, gone: Collection[str], secret: Collection[str]
) -> TraceCandidate:
    votes = [vote.model_copy(update={"reason": MASKED}) for vote in candidate.votes]
    drops = [drop.model_copy(update={"reason": _head(drop.reason)}) for drop in candidate.drops]
    # the question of a session may hold words of any memory that it was about
    own = {
        "proved_for": _without(secret, candidate.proved_for),
        "refused_for": _without(secret, candidate.refused_for),
        "why": "",  # a model may be quoted
    }
    if candidate.memory_id in gone:
        secrets = ("cue", "undertaking", "proved_for", "refused_for")
        own |= {"title": MASKED} | dict.fromkeys(secrets, "")
    return candidate.model_copy(update={"votes": votes, "drops": drops, **own})


def _hidden(hidden: TraceHidden, gone: Collection[str]) -> TraceHidden:
    own = {"title": MASKED} if hidden.memory_id in gone else {}
    return hidden.model_copy(update={"reason": _head(hidden.reason), **own})


def _preference(given: TracePreference, gone: Collection[str]) -> TracePreference:
    own = {"scope": MASKED, "stale": MASKED} if given.memory_id in gone else {}
    by_model = {"facet": MASKED, "query": MASKED} if given.facet else {}
    return given.model_copy(update={**by_model, **own})


def _near_miss(miss: TraceMiss) -> TraceMiss:
    stage, colon, reason = miss.reason.partition(": ")
    return miss.model_copy(update={"reason": f"{stage}{colon}{_head(reason)}"})


def _head(reason: str) -> str:
    """The reason with everything after its first colon masked: there it quotes."""
    head, colon, _ = reason.partition(":")
    return f"{head}: {MASKED}" if colon else head
