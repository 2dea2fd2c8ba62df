"""Hop 2 without a language model: memories that playbooks suggest for the question."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.errors import SecondhopError
from secondhop.models.embedding_cache import embed_both
from secondhop.nodes.budget import seconds_left
from secondhop.nodes.planning.playbooks import WeighedFacets
from secondhop.nodes.retrieval.similarity import nearest_visible
from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.state import Facet, Query, RecallState, RecallUpdate, Suggested
from secondhop.prompts.library import SLOT
from secondhop.ranking.arrays import Floats, Indices, Vectors, products
from secondhop.ranking.playbook_affinity import facet_affinity, facet_shares

DEPTH = 40
"""Passages that each facet, and the question, may bring."""

NAMED_FACETS = 10
"""Most facets that the trace names; they are the main facets of the best suggestions."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """The memories that are compared with the facets, and their passages."""

    memory_ids: Sequence[str]
    passage_ids: Sequence[str]
    owners: Indices
    """[n_passages]: index of the memory that each passage belongs to, rising."""
    starts: Indices
    """[n_memories]: index of the first passage of each."""
    vectors: Vectors
    """float32 [n_passages, dim], rows of unit length."""


async def suggest(state: RecallState, *, services: Services) -> RecallUpdate:
    """Score every memory near the question's likely facets; on failure, only set `degraded`."""
    try:
        async with asyncio.timeout(seconds_left(state)):
            return await suggestions(state, services=services)
    except (SecondhopError, TimeoutError) as error:
        reason = f"no playbook was used: {str(error) or 'no answer in time'}"
        return {"degraded": {"suggest": reason}}


async def suggestions(state: RecallState, *, services: Services) -> RecallUpdate:
    """The suggestions with their facets. Raises ModelError if a text cannot be embedded,
    StoreError if the passages cannot be read."""
    question, as_text = await embed_both(services.embedder, [state["question"]])
    weighed = await services.playbooks.facets_for(as_text)
    if weighed is None:
        return {"note": "no playbooks"}
    hidden = await services.hidden.of(state, services)
    found = await population(np.concatenate([question, weighed.vectors]), hidden, services=services)
    if not found.passage_ids:
        return {"note": "nothing to suggest"}
    return suggested_update(weighed, question, found)


async def population(vectors: Vectors, hidden: Hidden, *, services: Services) -> Population:
    """The memories near any of the vectors, found in one search, without hidden ones."""
    found = await nearest_visible(vectors, k=DEPTH, least=0, hidden=hidden, services=services)
    owner_of = {hit.passage_id: hit.memory_id for ranking in found for hit in ranking.hits}
    stored = await services.search.vectors(list(owner_of))
    passage_ids = sorted(stored, key=owner_of.__getitem__)
    memory_ids = sorted({owner_of[passage_id] for passage_id in stored})
    places = {memory_id: place for place, memory_id in enumerate(memory_ids)}
    owners = np.array([places[owner_of[one]] for one in passage_ids], dtype=np.intp)
    return Population(
        memory_ids=memory_ids,
        passage_ids=passage_ids,
        owners=owners,
        starts=np.searchsorted(owners, np.arange(len(memory_ids))),
        vectors=np.stack([stored[one] for one in passage_ids]) if stored else vectors[:0],
    )


def suggested_update(weighed: WeighedFacets, question: Vectors, found: Population) -> RecallUpdate:
    """Scores of the whole population, and the facets that add most to the best of them."""
    cosines = products(weighed.vectors, found.vectors).astype(np.float64)
    nearest = best_by_owner(cosines, starts=found.starts)
    background = products(weighed.background, found.vectors).astype(np.float64)
    hubs = best_by_owner(background, starts=found.starts)[0]
    shares = facet_shares(facet_affinity(nearest, hubs), weighed.weights)
    scores, main = shares.sum(axis=0), shares.argmax(axis=0)
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    named = list(dict.fromkeys(int(main[one]) for one in order if scores[one] > 0))[:NAMED_FACETS]
    facet_ids = {facet: f"b{number}" for number, facet in enumerate(named, start=1)}
    spoken = cosines[main[found.owners], np.arange(len(found.owners))]
    passages: list[int] = best_passages(spoken, found)[order].tolist()
    own = products(question, found.vectors[passages])[0].tolist()
    return {
        "suggested": Suggested(
            memory_ids=[found.memory_ids[one] for one in order],
            scores=[round(float(scores[one]), 6) for one in order],
            facet_ids=[facet_ids.get(int(main[one]), "") for one in order],
            passage_ids=[found.passage_ids[passage] for passage in passages],
            cosines=[round(cosine, 6) for cosine in own],
            confidence=round(weighed.confidence, 4),
        ),
        "facets": {facet_ids[one]: named_facet(one, facet_ids[one], weighed) for one in named},
        "queries": {facet_ids[one]: named_query(one, facet_ids[one], weighed) for one in named},
        "note": f"{len(named)} facets over {len(order)} memories",
    }


def best_by_owner(scores: Floats, *, starts: Indices) -> Floats:
    """[rows, n_memories]: each memory's best score over its passages; scores [rows, n_passages]."""
    return np.asarray(np.maximum.reduceat(scores, starts, axis=1), dtype=np.float64)


def best_passages(scores: Floats, found: Population) -> Indices:
    """[n_memories]: index of each memory's passage with the highest score; ties go to the first.
    `scores`: [n_passages]."""
    ranked = np.lexsort((-scores, found.owners))
    return np.asarray(ranked[found.starts], dtype=np.intp)


def named_facet(facet: int, facet_id: str, weighed: WeighedFacets) -> Facet:
    """A playbook facet in the state's form."""
    one = weighed.facets[facet]
    return Facet(
        facet_id=facet_id,
        name=one.name,
        why=one.why,
        hop=max(2, one.hop),
        weight=round(float(weighed.weights[facet]), 4),
    )


def named_query(facet: int, facet_id: str, weighed: WeighedFacets) -> Query:
    """The query of a playbook facet: its first wording. The search uses the mean of all of them."""
    one = weighed.facets[facet]
    return Query(
        query_id=facet_id,
        facet_id=facet_id,
        text=one.queries[0].replace(SLOT, "it"),
        hop=max(2, one.hop),
        round=1,
        origin="playbook",
        feedback=[],
    )
