"""What earlier sessions have taught about questions like this one: read once, in the first round.

It comes into a recall in four ways, all of them seen in the trace: a factor on the relevance of
memories that helped, or did not; a vote against memories that persons have refused; a query that
looks among memories which helped together; a facet for each promoted cue.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from secondhop.errors import ModelError, StoreError
from secondhop.nodes.selection.lessons import (
    NearContext,
    helped_together,
    learned_factor_of,
    near_contexts,
    open_cues,
    refused,
    similarities,
    weighed,
)
from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.spark import lateral_text
from secondhop.nodes.state import DIRECT, Facet, Learned, Query, RecallState, RecallUpdate, Vote
from secondhop.stores.records import MemoryCard

ORIGIN = "learned"
TOGETHER_ID = "lq0"

CUE_WEIGHT = 0.5
"""Weight of the facet of a cue; the question itself has `QUESTION_WEIGHT`."""

EARLIER = "earlier sessions"
"""Who casts the votes of round 0: persons, in sessions about such questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """What was learned, on its way into the state."""

    learned: Learned
    facets: Mapping[str, Facet] = field(default_factory=dict[str, Facet])
    queries: Mapping[str, Query] = field(default_factory=dict[str, Query])
    votes: Mapping[str, Vote] = field(default_factory=dict[str, Vote])


NOTHING = Taught(learned={"contexts": 0, "factors": {}, "cues": {}})


async def with_what_was_learned(
    update: RecallUpdate, state: RecallState, hidden: Hidden, *, services: Services
) -> RecallUpdate:
    """The first round's update, and what was learned; a store that cannot be read is named.

    No more queries are asked than the limits allow: those of the plan come first.
    """
    try:
        taught = await what_was_learned(state, hidden, services=services)
    except (StoreError, ModelError) as error:
        taught = NOTHING
        update = {**update, "degraded": {"learning": f"nothing learned was used: {error}"}}
    asked = dict(update.get("queries", {}))
    room = max(0, services.settings.limits.queries - len(asked))
    asked |= dict(list(taught.queries.items())[:room])
    opened = {query["facet_id"] for query in asked.values()}
    contexts = taught.learned["contexts"]
    known = "1 context" if contexts == 1 else f"{contexts} contexts"
    return {
        **update,
        "learned": taught.learned,
        "facets": {i: facet for i, facet in taught.facets.items() if i in opened},
        "queries": asked,
        "votes": dict(taught.votes),
        "spent": {"rounds": 1, "queries": len(asked)},
        "note": f"{len(asked)} queries" + (f", {known} known" if contexts else ""),
    }


async def what_was_learned(state: RecallState, hidden: Hidden, *, services: Services) -> Taught:
    """Nothing when learning is off, asks about the past, or knows no question like this one.

    Raises:
        StoreError: it cannot be read.
        ModelError: the question cannot be embedded.
    """
    store, settings = services.learning, services.settings.learning
    if store is None or not settings.weight or state.get("as_of"):
        return NOTHING
    centres = await store.centres()
    if not centres:
        return NOTHING
    (question,) = await services.embedder.embed_queries([state["question"]])
    similarity = similarities(
        np.asarray(question, dtype=np.float32),
        centres,
        embedder_id=services.embedder.model_id,
        alike=services.scale.same_context,
    )
    if not similarity:
        return NOTHING
    near = near_contexts(
        await store.contexts(similarity),
        similarity,
        now=datetime.fromisoformat(state["asked_at"]),
        half_life_days=settings.half_life_days,
    )
    return await taught_by(near, state, hidden, services=services)


async def taught_by(
    near: Sequence[NearContext], state: RecallState, hidden: Hidden, *, services: Services
) -> Taught:
    """What these contexts make of the recall; what may not be shown is not looked for."""
    settings = services.settings.learning
    sums = weighed(near)
    cues = open_cues(
        near,
        now=datetime.fromisoformat(state["asked_at"]),
        half_life_days=settings.half_life_days,
    )
    targets = [cue.leads_to for cue in cues if not hidden.hides(cue.leads_to)]
    cards = await services.reader.cards(targets)
    leads = {f"h{place}": cards[one] for place, one in enumerate(targets, 1) if one in cards}
    queries = [cue_query(facet_id, card, state) for facet_id, card in leads.items()]
    if together := helped_together(sums):
        queries.append(together_query(together, state))
    factors = {one: learned_factor_of(weight, most=settings.weight) for one, weight in sums.items()}
    return Taught(
        learned={
            "contexts": len(near),
            "factors": {one: factor for one, factor in factors.items() if factor != 1.0},
            "cues": {facet_id: card.memory_id for facet_id, card in leads.items()},
        },
        facets={facet_id: cue_facet(facet_id, card) for facet_id, card in leads.items()},
        queries={query["query_id"]: query for query in queries},
        votes=earlier_votes(refused(sums)),
    )


def earlier_votes(memory_ids: Iterable[str]) -> dict[str, Vote]:
    """Votes that keep memories out of the answer, before the first round."""
    return {
        f"{memory_id}|0": Vote(
            memory_id=memory_id,
            vote="cold",
            by=EARLIER,
            round=0,
            reason="people refused it for questions like this one",
            facet_ids=[],
            repeats=None,
            replaced_by=None,
            place=None,
        )
        for memory_id in memory_ids
    }


def together_query(memory_ids: Sequence[str], state: RecallState) -> Query:
    """The question, asked of memories that helped together."""
    return Query(
        query_id=TOGETHER_ID,
        facet_id=DIRECT,
        text=state["question"],
        hop=1,
        round=state["round"] + 1,
        origin=ORIGIN,
        feedback=[],
        memory_ids=list(memory_ids),
    )


def cue_facet(facet_id: str, card: MemoryCard) -> Facet:
    """The facet of what a spark has led to before."""
    return Facet(
        facet_id=facet_id,
        name=cue_name(card.title),
        why=cue_why(card.title),
        hop=2,
        weight=CUE_WEIGHT,
    )


def cue_query(facet_id: str, card: MemoryCard, state: RecallState) -> Query:
    """What the facet asks for."""
    return Query(
        query_id=f"lq{facet_id}",
        facet_id=facet_id,
        text=lateral_text(card.title, state["question"]),
        hop=2,
        round=state["round"] + 1,
        origin=ORIGIN,
        feedback=[],
    )


def cue_name(title: str) -> str:
    """Name of the facet that leads to a memory of this title."""
    return f"led before to {title}"


def cue_why(title: str) -> str:
    """Why it is looked for."""
    return f"Questions like this one have led to “{title}” more than once."


def learned_factor(memory_id: str, state: RecallState) -> float:
    """What learning makes of a memory's relevance; 1 where nothing was learned."""
    return state.get("learned", NOTHING.learned)["factors"].get(memory_id, 1.0)
