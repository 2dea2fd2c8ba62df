"""Chooses the preferences that apply; an answer lists them apart from the memories."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from secondhop.errors import ModelError
from secondhop.nodes.budget import time_beside
from secondhop.nodes.selection.staleness import marked
from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.state import (
    DIRECT,
    PLANNED,
    ByName,
    Facet,
    PlanAsk,
    Query,
    RecallState,
    RecallUpdate,
)
from secondhop.ranking.arrays import products
from secondhop.stores.keeping import holds_always
from secondhop.stores.records import Memory

CONTEXTS = 64
"""Most contexts that a question and its plan are compared with; if there are more, the newest that
hold."""

NAMED, IMPLIED = 0.45, 0.7
"""How near a facet's name and one of its queries must both be to a context: `NAMED` for a facet
that the question names (hop 1), `IMPLIED` for a facet that the plan adds.

Chosen with the default model on 36 questions, plans of a large model for them, and 30 contexts.
Beyond what the questions bring, this brings 7 that fit, 1 doubtful one and 1 that does not fit;
with 24 other contexts 5, 2 and 2. A single query, at the threshold of the question, would bring 14
that fit and 91 that do not.
"""


ITSELF = 0.5
"""How near a question must be to the text of a preference to ask for the preference itself. Chosen
with the default model on 8 preferences and 13 questions, of which 2 ask for preferences themselves.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedText:
    """A planned facet with the texts of its queries."""

    facet: Facet
    queries: Sequence[str]

    @property
    def least(self) -> float:
        """Least similarity to a context with which the facet asks for it."""
        return NAMED if self.facet["hop"] == 1 else IMPLIED


async def that_count(
    state: RecallState, hidden: Hidden, planned: Iterable[Query], *, services: Services
) -> RecallUpdate:
    """The preferences that count: those that always hold, those whose context is near the question
    or a planned facet, and those that the plan asks for by name.

    To the question, a context must be as near as a memory must be (`min_score`). A facet must be
    nearer, by its name and by one of the queries of this round (`planned`), because a plan looks
    for evidence, and evidence is about many things. A question for the preference itself ("What
    can't I eat?") brings it whatever its context. If the embedding model fails or is late,
    `degraded` says so.
    """
    always_on = {one.memory_id: 1.0 for one in hidden.preferences if holds_always(one.scope)}
    contextual = compared(hidden)
    if not contextual:
        return {"preferences": always_on, "preferences_asked": {}}
    named = asked_by_name(state.get("by_name"), contextual)
    facets = facets_that_ask(state, planned)
    try:
        async with asyncio.timeout(time_beside(state)):
            near = await nearnesses(contextual, facets, state, services=services)
    except (ModelError, TimeoutError) as error:
        late = str(error) or "no answer in time"
        reason = f"preferences for a context were not looked up: {late}"
        return {
            "preferences": always_on | dict.fromkeys(named, 1.0),
            "preferences_asked": named,
            "degraded": {"preferences": reason},
        }
    least = services.settings.ranking.min_score
    found = [asked_by(one, facets, least=least) for one in near]
    chosen = {p.memory_id: one for p, one in zip(contextual, found, strict=True) if one is not None}
    for memory_id, ask in named.items():
        if chosen.get(memory_id, (0.0, ask))[1] is not None:  # else the question itself asks
            chosen[memory_id] = 1.0, ask
    return {
        "preferences": always_on | {memory_id: near for memory_id, (near, _) in chosen.items()},
        "preferences_asked": {one: ask for one, (_, ask) in chosen.items() if ask is not None},
    }


def asked_by_name(asked: ByName | None, contextual: Iterable[Memory]) -> dict[str, PlanAsk]:
    """{memory id: what asked} for those of `contextual` that the plan asks for by name."""
    known = {one.memory_id for one in contextual}
    wanted = asked["preferences"] if asked is not None else []
    return {one: PlanAsk(facet_id="", query="") for one in wanted if one in known}


def compared(hidden: Hidden) -> list[Memory]:
    """At most `CONTEXTS` preferences with a context: the newest that hold, then the newest ended.

    The list starts with those that ended.
    """
    contextual = [one for one in hidden.preferences if not holds_always(one.scope)]
    return sorted(contextual, key=lambda one: one.memory_id not in hidden.ended)[-CONTEXTS:]


def facets_that_ask(state: RecallState, planned: Iterable[Query]) -> list[PlannedText]:
    """The facets that the planner added, with the texts of their queries."""
    texts: dict[str, list[str]] = {}
    for query in planned:
        if query["origin"] in PLANNED and query["facet_id"] != DIRECT:
            texts.setdefault(query["facet_id"], []).append(query["text"])
    return [PlannedText(facet=state["facets"][one], queries=said) for one, said in texts.items()]


async def nearnesses(
    contextual: Sequence[Memory],
    facets: Sequence[PlannedText],
    state: RecallState,
    *,
    services: Services,
) -> list[dict[str, float]]:
    """For each preference: {text of the question or the plan: its similarity to the context, 0..1},
    question first. For the question it is the similarity to the preference's own text, if that is
    at least `ITSELF` and higher. Raises ModelError if the texts cannot be embedded."""
    said = [text for one in facets for text in (one.facet["name"], *one.queries)]
    texts = list(dict.fromkeys([state["question"], *said]))
    asking = await services.embedder.embed_queries(texts)
    words = [text for one in contextual for text in (one.scope, one.text)]
    held = await services.embedder.embed_passages(words)
    near = services.scale.calibration(products(held, asking).astype(np.float64))
    contexts, own = near[::2], near[1::2, 0]
    contexts[:, 0] = np.where(own >= ITSELF, np.maximum(own, contexts[:, 0]), contexts[:, 0])
    return [dict(zip(texts, row, strict=True)) for row in contexts.tolist()]


def asked_by(
    near: Mapping[str, float], facets: Sequence[PlannedText], *, least: float
) -> tuple[float, PlanAsk | None] | None:
    """(similarity, the part of the plan that asks) for one context of `nearnesses`; None if
    nothing asks for it. If the question itself is at least as near as `least`, the part is None."""
    question = next(iter(near.values()))
    if question >= least:
        return round(question, 4), None
    best: tuple[float, PlanAsk | None] | None = None
    for one in facets:
        query = max(one.queries, key=lambda text: near[text])
        score = round(min(near[one.facet["name"]], near[query]), 4)
        if score >= one.least and (best is None or score > best[0]):
            best = score, PlanAsk(facet_id=one.facet["facet_id"], query=query)
    return best


def given(state: RecallState, hidden: Hidden) -> list[dict[str, Any]]:
    """The preferences that count, as `RecalledPreference`.

    Those that always hold come first, then the others by similarity, then those that ended.
    """
    counting, asked = state.get("preferences", {}), state.get("preferences_asked", {})
    chosen = [one for one in hidden.preferences if one.memory_id in counting]

    def place(one: Memory) -> tuple[bool, bool, float, str]:
        return (
            one.memory_id in hidden.ended,
            not holds_always(one.scope),
            -counting[one.memory_id],
            one.memory_id,
        )

    views = [
        {
            "id": one.memory_id,
            "text": one.text,
            "scope": one.scope,
            "topic": one.subject,
            "created_at": one.created_at.isoformat(),
            "score": counting[one.memory_id],
            "facet": state["facets"][ask["facet_id"]]["name"] if ask and ask["facet_id"] else "",
            "query": ask["query"] if ask else "",
            "by_name": ask is not None and not ask["facet_id"],
        }
        for one in sorted(chosen, key=place)
        for ask in [asked.get(one.memory_id)]
    ]
    return marked(views, hidden)
