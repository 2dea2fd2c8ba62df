"""Finds evidence through names in other evidence: "the company that published the journal".

The question describes something and asks about it. What it describes stands in one passage, with
a name; what it asks stands in another, which holds the name and not the description.
"""

import asyncio
import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from secondhop.models.embedder import Vectors
from secondhop.nodes.evidence.rank import PassageScores, ranking_scores
from secondhop.nodes.retrieval.similarity import as_hits, rows
from secondhop.nodes.selection.visibility import Hidden, sight_of
from secondhop.nodes.services import Services
from secondhop.nodes.state import Ranking, RecallState
from secondhop.ranking.keyphrases import key_phrases
from secondhop.stores.catalog.analysis import STOP_WORDS, document_terms, query_terms
from secondhop.stores.records import Passage, PassageHit

SEEDS = 4
"""Best passages whose names are followed."""

NAMES = 8
"""Names followed a seed."""

COMMON = 50
"""Passages with a name from which on it leads nowhere in particular."""

COMMON_SHARE = 0.5
"""What a name counts that so many passages hold; one that one passage holds counts 1."""

DEPTH = 100
"""Passages looked at for what the seed leaves open, by each search."""

LINK_SHARE = 0.5
"""What the best possible link adds to a score, as a share of the best score of all."""

LEAST_TIME_S = 0.5
"""With less time than this left nothing is followed."""

_LABEL = re.compile(r"\A[^:\n]{1,40}: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """One good passage, and what it leaves to be found."""

    seed: Passage
    share: float
    """Its score as a share of the best."""
    names: Mapping[str, frozenset[str]]
    """{name that the question does not hold: its terms}."""
    open_question: str
    """The question without the words that the seed holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What was found for one lead."""

    lead: Lead
    ranking: Ranking
    """Its lexical scores are how good each link is, 0..1; cosines as they are to what was open."""


def leads_of(ranked: Sequence[Passage], scores: Mapping[str, float], question: str) -> list[Lead]:
    """The best passages that hold a new name and leave a telling word of the question open."""
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
    """The words of the question that the seed does not hold; words like "the" stay."""
    held = frozenset(document_terms(seed.text))
    return [
        word
        for word in question.split()
        if word.lower() in STOP_WORDS or not held.issuperset(document_terms(word))
    ]


def new_names(seed: Passage, asked: frozenset[str]) -> dict[str, frozenset[str]]:
    """{name: terms} of the seed's names with a term that the question does not have."""
    found = key_phrases(_LABEL.sub("", seed.text), n=12)
    names = {
        phrase.phrase: frozenset(query_terms(phrase.phrase).words)
        for phrase in found
        if phrase.kind == "name"
    }
    return dict([(name, terms) for name, terms in names.items() if not terms <= asked][:NAMES])


async def found_links(
    leads: Sequence[Lead], state: RecallState, *, services: Services
) -> list[Link]:
    """What the leads lead to; [] when there is no time. A few searches a lead, no model."""
    if not leads or state["deadline_at"] - time.time() < LEAST_TIME_S:
        return []
    hidden = await services.hidden.of(sight_of(state), services)
    vectors = await services.embedder.embed_queries([lead.open_question for lead in leads])
    links = await asyncio.gather(
        *(
            followed(lead, vector, hidden=hidden, services=services)
            for lead, vector in zip(leads, vectors[:, None, :], strict=True)
        )
    )
    return [link for link in links if link.ranking["lexical"]["passage_ids"]]


async def followed(lead: Lead, vector: Vectors, *, hidden: Hidden, services: Services) -> Link:
    """Passages that hold a name of the lead, by the name's rarity and what they say of the rest."""
    search = services.search
    near_rows, (lexical,), named = await asyncio.gather(
        search.dense(vector, k=DEPTH),
        search.lexical([lead.open_question], k=DEPTH),
        search.lexical([*lead.names], k=COMMON + 1),
    )
    dense = near_rows[0]
    rest = ranking_scores(ranking_of(dense, lexical))
    owners = {hit.passage_id: hit.memory_id for hit in [*dense, *lexical]}
    near = {p for p in owners if p != lead.seed.passage_id and not hidden.hides(owners[p])}
    wanted = near & {hit.passage_id for hits in named for hit in hits}
    passages = await services.reader.passages(sorted(wanted))
    terms = {p: frozenset(document_terms(passage.text)) for p, passage in passages.items()}
    rarity: PassageScores = {}
    for name, hits in zip(lead.names.values(), named, strict=True):
        for passage_id, weight in holders(name, hits, terms).items():
            rarity[passage_id] = max(weight, rarity.get(passage_id, 0.0))
    found = [
        PassageHit(p, owners[p], score)
        for p, weight in rarity.items()
        if (score := round(lead.share * weight * rest[p], 6)) > 0
    ]
    found.sort(key=lambda hit: (-hit.score, hit.passage_id))
    cosines = {hit.passage_id: hit.score for hit in dense if hit.passage_id in rarity}
    return Link(lead=lead, ranking=ranking_of([], found, cosines=cosines))


def holders(
    name: frozenset[str], hits: Sequence[PassageHit], terms: Mapping[str, frozenset[str]]
) -> PassageScores:
    """{passage with all of the name: 1 for a name that it alone holds, less for a usual one}.

    How many hold it is told by the hits that are as good as these; {} when it is COMMON.
    """
    holding = [hit for hit in hits if name <= terms.get(hit.passage_id, frozenset())]
    if not holding:
        return {}
    least = min(hit.score for hit in holding)
    count = sum(hit.score >= least for hit in hits)
    if count > COMMON:
        return {}
    weight = 1 - (1 - COMMON_SHARE) * log(count) / log(COMMON)
    return {hit.passage_id: weight for hit in holding}


def ranking_of(
    dense: Sequence[PassageHit],
    lexical: Sequence[PassageHit],
    *,
    cosines: Mapping[str, float] | None = None,
) -> Ranking:
    """A ranking of a query that the recall does not know yet."""
    return Ranking(
        query_id="",
        dense=as_hits(dense),
        lexical=as_hits(lexical),
        cosines=dict(cosines or {}),
        error="",
    )


def with_links(
    scores: Mapping[str, float], links: Iterable[Link], *, voted_out: Collection[str]
) -> PassageScores:
    """The scores, and what links add to them; not to memories that were voted out."""
    best: PassageScores = {}
    found = [row for link in links for row in rows(link.ranking["lexical"])]
    for passage_id, memory_id, score in found:
        if memory_id not in voted_out:
            best[passage_id] = max(best.get(passage_id, 0.0), score)
    top = max(scores.values(), default=0.0)
    return {
        passage_id: scores.get(passage_id, 0.0) + LINK_SHARE * top * best.get(passage_id, 0.0)
        for passage_id in {**scores, **best}
    }
