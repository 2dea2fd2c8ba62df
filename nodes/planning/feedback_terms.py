"""A query in the words of the best evidence: what a hypothetical answer would say, without a model.

The model of relevance of Lavrenko & Croft, SIGIR 2001, doi:10.1145/383952.383972, mixed with the
question as RM3 does (Abdul-Jaleel et al., TREC 2004).
"""

from collections import Counter

from secondhop.nodes.critics.port import CandidateView, CriticRequest, FollowUp
from secondhop.nodes.state import DIRECT
from secondhop.ranking.prf import expansion_terms, interpolate
from secondhop.stores.catalog.analysis import plain_words

FEEDBACK_MEMORIES = 5
"""Memories whose best passage is believed to be what the question is about."""


def feedback_query(request: CriticRequest, *, terms: int, min_score: float) -> FollowUp | None:
    """The question with the `terms` most telling words of the best evidence, for its own facet.

    None when nothing near the question itself was found (what is far from it would lead further
    away), or when the evidence has no word to add.

    Args:
        min_score: calibrated relevance to the question itself that evidence must have.
    """
    best = nearest(request, min_score=min_score)
    spoken = {
        one.memory_id: plain_words(one.evidence[0]) for one in request.candidates if one.evidence
    }
    holding = Counter(word for words in spoken.values() for word in set(words))
    asked = plain_words(request.question)
    told = expansion_terms(
        [spoken[one.memory_id] for one in best],
        weights=[one.relevance[DIRECT] for one in best],
        document_frequency=holding,
        documents=len(spoken),
        n=terms + len(asked),
    )
    added = [word for word, _ in interpolate(asked, told) if word not in asked][:terms]
    if not added:
        return None
    return FollowUp(text=" ".join([request.question, *added]), facet_id=DIRECT, origin="feedback")


def nearest(request: CriticRequest, *, min_score: float) -> list[CandidateView]:
    """The candidates whose evidence is nearest to the question itself, the nearest first."""
    near = [
        one
        for one in request.candidates
        if one.evidence and one.relevance.get(DIRECT, 0.0) >= min_score
    ]
    near.sort(key=lambda one: (-one.relevance[DIRECT], one.memory_id))
    return near[:FEEDBACK_MEMORIES]
