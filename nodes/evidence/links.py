"""Finds evidence through names in other evidence: "the company that published the journal".

The question describes something and asks about it. One passage holds the description and a name;
the answer is in another passage, which holds the name but not the description.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from secondhop.nodes.budget import seconds_left
from secondhop.nodes.evidence.rank import PassageScores, best_first, combined
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState
from secondhop.ranking.keyphrases import names_in
from secondhop.stores.catalog.analysis import STOP_WORDS, document_terms, query_terms
from secondhop.stores.records import Passage, PassageHit

SEEDS = 4
"""Best passages whose names are followed."""

NAMES = 8
"""Most names followed per seed."""

COMMON = 50
"""A name in more passages than this leads nowhere in particular and is not followed."""

COMMON_SHARE = 0.5
"""Weight of a name in `COMMON` passages; a name in one passage has weight 1."""

DEPTH = 100
"""Passages that each search brings for what the seed leaves open."""

LINK_SHARE = 0.5
"""The most that a link adds to a score, as a share of the best score of all."""

LEAST_TIME_S = 0.5
"""No link is followed if less time is left."""

_LABEL = re.compile(r"\A[^:\n]{1,40}: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A good passage, the names in it, and what it leaves to be found."""

    seed: Passage
    share: float
    """Its score as a share of the best score."""
    names: Mapping[str, frozenset[str]]
    """{name that the question does not hold: its terms}."""
    open_question: str
    """The question without the words that the seed holds."""


def leads_of(ranked: Sequence[Passage], scores: Mapping[str, float], question: str) -> list[Lead]:
    """The best passages that hold a new name but lack some word of the question (no stop word)."""
    asked = frozenset(query_terms(question).words)
    best = max(scores.values(), default=0.0)
    leads: list[Lead] = []
    for seed in ranked[:SEEDS]:
        left = open_words(question, seed)
        names = new_names(seed, asked)
        if best > 0 and names and any(word.lower() not in STOP_WORDS for word in left):
            share = scores[seed.passage_id] / best
            text = " ".join(left)
            leads.append(Lead(seed=seed, share=share, names=names, open_question=text))
    return leads


def open_words(question: str, seed: Passage) -> list[str]:
    """The words of the question that the seed does not hold; stop words stay."""
    held = frozenset(document_terms(seed.text))
    return [
        word
        for word in question.split()
        if word.lower() in STOP_WORDS or not held.issuperset(document_terms(word))
    ]


def new_names(seed: Passage, asked: frozenset[str]) -> dict[str, frozenset[str]]:
    """{name: terms} for names in the seed with a term that the question lacks; at most `NAMES`."""
    found = names_in(_LABEL.sub("", seed.text), n=12)
    names = {name: frozenset(query_terms(name).words) for name in found}
    return dict([(name, terms) for name, terms in names.items() if not terms <= asked][:NAMES])


async def with_links(
    scores: Mapping[str, float],
    passages: Mapping[str, Passage],
    state: RecallState,
    *,
    services: Services,
) -> PassageScores:
    """The scores plus what links add to them.

    It takes one batch of searches for what the leads leave open, and no language model. If too
    little time is left, nothing is added.
    """
    seeds = [passages[passage_id] for passage_id in best_first(scores)[:SEEDS]]
    leads = leads_of(seeds, scores, state["question"])
    if not leads or seconds_left(state) < LEAST_TIME_S:
        return dict(scores)
    open_questions = [lead.open_question for lead in leads]
    vectors = await services.embedder.embed_queries(open_questions)
    names = list(dict.fromkeys(name for lead in leads for name in lead.names))
    dense, lexical, holding = await asyncio.gather(
        services.search.dense(vectors, k=DEPTH),
        services.search.lexical(open_questions, k=DEPTH),
        services.search.lexical(names, k=COMMON + 1),
    )
    named = dict(zip(names, holding, strict=True))
    terms = {p: frozenset(document_terms(passages[p].text)) for p in scores}
    gains: PassageScores = {}
    for lead, near, worded in zip(leads, dense, lexical, strict=True):
        rest = combined(
            {hit.passage_id: hit.score for hit in near},
            {hit.passage_id: hit.score for hit in worded},
        )
        rest.pop(lead.seed.passage_id, None)
        for name, own in lead.names.items():
            for passage_id, weight in holders(own, named[name], terms).items():
                gain = lead.share * weight * rest.get(passage_id, 0.0)
                gains[passage_id] = max(gain, gains.get(passage_id, 0.0))
    top = max(scores.values())
    return {p: score + LINK_SHARE * top * gains.get(p, 0.0) for p, score in scores.items()}


def holders(
    name: frozenset[str], hits: Sequence[PassageHit], terms: Mapping[str, frozenset[str]]
) -> PassageScores:
    """{passage id: weight}, for passages that hold the whole name: 1 if only one does, less if more
    do, {} if more than `COMMON` do. Hits that score as high count as holding it."""
    holding = [hit for hit in hits if name <= terms.get(hit.passage_id, frozenset())]
    if not holding:
        return {}
    least = min(hit.score for hit in holding)
    count = sum(hit.score >= least for hit in hits)
    if count > COMMON:
        return {}
    weight = 1 - (1 - COMMON_SHARE) * log(count) / log(COMMON)
    return {hit.passage_id: weight for hit in holding}
