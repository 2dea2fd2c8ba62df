"""Opens a round: chooses its queries, and looks up preferences and facts."""

import unicodedata
from itertools import zip_longest

from secondhop.nodes.planning.fact_lookup import MOST, asked_facts
from secondhop.nodes.selection.preferences import that_count
from secondhop.nodes.services import Services
from secondhop.nodes.state import Facet, Query, RecallState, RecallUpdate
from secondhop.wording import counted

UNMATCHED = "no memory that may be shown matches the filter"


async def dispatch(state: RecallState, *, services: Services) -> RecallUpdate:
    """Open a round, with no query twice. The first also looks up preferences and named facts."""
    number = state["round"] + 1
    asked = {spoken(q) for q in state["queries"].values() if q["round"]}
    chosen: dict[str, Query] = {}
    for query in waiting(state):
        if spoken(query) not in asked and len(chosen) < services.settings.limits.queries:
            asked.add(spoken(query))
            chosen[query["query_id"]] = {**query, "round": number}
    hidden = await services.hidden.of(state, services)  # before parallel nodes need it
    limit = services.settings.limits.queries
    facets: dict[str, Facet] = {}
    facts: dict[str, Query] = {}
    if hidden.facts and not state["round"] and limit > MOST:
        facets, facts = asked_facts(state, hidden.facts, chosen.values())
    asking = {**dict(list(chosen.items())[: limit - len(facts)]), **facts}
    update: RecallUpdate = {
        "round": number,
        "facets": facets,
        "queries": asking,
        "spent": {"queries": len(asking)},
        "seen": sorted(state.get("candidates", {})),
        "note": counted(len(asking), "query"),
    }
    if hidden.admitted is not None and not (hidden.admitted or hidden.preferences):
        update["degraded"] = {"where": UNMATCHED}
    if "preferences" in state:
        return update
    if not hidden.preferences:
        return {**update, "preferences": {}, "preferences_asked": {}}
    counting = await that_count(state, hidden, chosen.values(), services=services)
    return {**update, **counting}


def waiting(state: RecallState) -> list[Query]:
    """Queries that were never asked: each facet's first one, then each facet's second one, …"""
    by_facet: dict[str, list[Query]] = {}
    for query in state["queries"].values():
        if query["round"] == 0:
            by_facet.setdefault(query["facet_id"], []).append(query)
    return [query for turn in zip_longest(*by_facet.values()) for query in turn if query]


def spoken(query: Query) -> tuple[str, str, str]:
    """Two queries with the same key are one: facet, words, and the votes that move the vector."""
    words = " ".join(unicodedata.normalize("NFKC", query["text"]).casefold().split())
    bent = sorted((ref["vote"], ref["round"], ref["passage_ids"]) for ref in query["feedback"])
    return query["facet_id"], words, repr(bent)
