"""What earlier sessions have taught about questions like this one: read once, in the first round.

It comes into a recall in three ways, all of them seen in the trace: a factor on the relevance of
memories that helped, or did not; a query that looks among memories which helped together; a facet
for each promoted hook.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from secondhop.errors import ModelError, StoreError
from secondhop.nodes.selection.lessons import (
    NearContext,
    leanings,
    learned_factors,
    near_contexts,
    nearness_to,
    open_hooks,
    proposed,
)
from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.spark import lateral_text
from secondhop.nodes.state import DIRECT, Facet, Learned, Query, RecallState, RecallUpdate
from secondhop.stores.learning import ContextCentre, LearnedHook
from secondhop.stores.records import MemoryCard

ORIGIN = "learned"
PROPOSALS_ID = "lq0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """What was learned, on its way into the state."""

    learned: Learned
    facets: Mapping[str, Facet] = field(default_factory=dict[str, Facet])
    queries: Mapping[str, Query] = field(default_factory=dict[str, Query])


NOTHING = Taught(learned={"contexts": 0, "factors": {}, "hooks": {}})


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
        "spent": {"rounds": 1, "queries": len(asked)},
        "note": f"{len(asked)} queries" + (f", {known} known" if contexts else ""),
    }


async def what_was_learned(state: RecallState, hidden: Hidden, *, services: Services) -> Taught:
    """Nothing when learning is off, asks about the past, or knows no question like this one.

    Raises:
        StoreError: it cannot be read.
        ModelError: the question cannot be embedded.
    """
    settings = services.settings.learning
    if services.learning is None or not settings.weight or state.get("as_of"):
        return NOTHING
    if not await services.learning.in_use():
        return NOTHING
    (question,) = await services.embedder.embed_queries([state["question"]])
    nearness: dict[str, float] = {}

    def near_ones(centres: Sequence[ContextCentre]) -> Collection[str]:
        nearness.update(
            nearness_to(
                np.asarray(question, dtype=np.float32),
                centres,
                embedder_id=services.embedder.model_id,
                alike=services.scale.same_context,
            )
        )
        return nearness

    contexts = await services.learning.chosen(near_ones)
    now = datetime.fromisoformat(state["asked_at"])
    near = near_contexts(contexts, nearness, now=now, settings=settings)
    return await taught_by(near, state, hidden, services=services) if near else NOTHING


async def taught_by(
    near: Sequence[NearContext], state: RecallState, hidden: Hidden, *, services: Services
) -> Taught:
    """What these contexts make of the recall; what may not be shown is not looked for."""
    settings = services.settings.learning
    lean = leanings(near, prior=settings.prior)
    now = datetime.fromisoformat(state["asked_at"])
    hooks = [
        hook
        for hook in open_hooks(near, settings=settings, now=now)
        if hook.leads_to not in hidden.reasons
    ]
    cards = await services.reader.cards([one for h in hooks for one in (h.spark, h.leads_to)])
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    targets: dict[str, str] = {}
    for hook in hooks:
        if hook.leads_to in cards:
            facet_id = f"h{len(facets) + 1}"
            targets[facet_id] = hook.leads_to
            facets[facet_id] = hook_facet(facet_id, hook, cards, weight=settings.hook_weight)
            query = hook_query(facets[facet_id], hook, cards, state)
            queries[query["query_id"]] = query
    if together := proposed(near, lean, limit=settings.proposals):
        queries[PROPOSALS_ID] = proposals_query(together, state)
    return Taught(
        learned={
            "contexts": len(near),
            "factors": learned_factors(lean, weight=settings.weight),
            "hooks": targets,
        },
        facets=facets,
        queries=queries,
    )


def proposals_query(memory_ids: Sequence[str], state: RecallState) -> Query:
    """The question, asked of memories that helped together."""
    return Query(
        query_id=PROPOSALS_ID,
        facet_id=DIRECT,
        text=state["question"],
        hop=1,
        round=state["round"] + 1,
        origin=ORIGIN,
        feedback=[],
        memory_ids=list(memory_ids),
    )


def hook_facet(
    facet_id: str, hook: LearnedHook, cards: Mapping[str, MemoryCard], *, weight: float
) -> Facet:
    """The facet of what a spark has led to before."""
    title = cards[hook.leads_to].title
    return Facet(
        facet_id=facet_id,
        name=hook_name(title),
        why=hook_why(title),
        hop=2,
        weight=weight,
    )


def hook_query(
    facet: Facet, hook: LearnedHook, cards: Mapping[str, MemoryCard], state: RecallState
) -> Query:
    """What the facet asks for."""
    return Query(
        query_id=f"lq{facet['facet_id']}",
        facet_id=facet["facet_id"],
        text=lateral_text(cards[hook.leads_to].title, state["question"]),
        hop=facet["hop"],
        round=state["round"] + 1,
        origin=ORIGIN,
        feedback=[],
    )


def hook_name(title: str) -> str:
    """Name of the facet that leads to a memory of this title."""
    return f"led before to {title}"


def hook_why(title: str) -> str:
    """Why it is looked for."""
    return f"Questions like this one have led to “{title}” more than once."


def learned_factor(memory_id: str, state: RecallState) -> float:
    """What learning makes of a memory's relevance; 1 where nothing was learned."""
    return state.get("learned", NOTHING.learned)["factors"].get(memory_id, 1.0)
