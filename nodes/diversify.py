"""Draws the critic's shortlist, spread over the facets, and keeps the best answer so far."""

import numpy as np

from secondhop.nodes.eligibility import answerable, judged_relevance, last_votes
from secondhop.nodes.pool import Pool, load_pool
from secondhop.nodes.selection import Selection, select
from secondhop.nodes.services import Services
from secondhop.nodes.state import Drop, RecallState, RecallUpdate
from secondhop.ranking.arrays import Floats


async def diversify(state: RecallState, *, services: Services) -> RecallUpdate:
    """Facets share the shortlist in proportion; what none of them serves well comes last."""
    settings = services.settings
    pool = await load_pool(state["candidates"], sorted(state["facets"]), services=services)
    relevance = judged_relevance(pool, last_votes(state), settings=settings.ranking)
    selected = select(pool, relevance, state["facets"], k=state["k"], settings=settings.ranking)
    spread = facets_in_turn(pool, relevance, state)
    shortlist = shortlisted(pool, selected, spread, state, limit=settings.limits.shortlist)
    answers, _, _ = answerable(
        state["candidates"], state["kind"], min_score=settings.ranking.min_score
    )
    return {
        "shortlist": shortlist,
        "picks": selected.picks if answers else [],
        "drops": left_out(pool, shortlist, state),
        "note": f"{len(shortlist)} of {len(state['candidates'])} candidates on the shortlist",
    }


def facets_in_turn(pool: Pool, relevance: Floats, state: RecallState) -> list[str]:
    """The facets' best candidates in turn, the heaviest facet first: none is crowded out.

    Selection closes a facet with its first good memory; a critic is to read more than one of each.
    """
    weights = [state["facets"][facet_id]["weight"] for facet_id in pool.facet_ids]
    columns = np.argsort(-np.array(weights), kind="stable")
    ranked = np.argsort(-relevance, axis=0, kind="stable")
    turns = [
        pool.ids[int(row)]
        for place in ranked
        for row, column in zip(place[columns], columns, strict=True)
        if relevance[row, column] > 0
    ]
    return list(dict.fromkeys(turns))


def shortlisted(
    pool: Pool, selected: Selection, spread: list[str], state: RecallState, *, limit: int
) -> list[str]:
    """The selection, the best of every facet, then the rest in the selection's order."""
    suppressed = {
        vote["memory_id"]
        for vote in state.get("votes", {}).values()
        if vote["vote"] in {"cold", "wrong"}
    }
    order = [pick["memory_id"] for pick in selected.picks]
    order += spread
    order += [loser.memory_id for loser in selected.losers]
    order += [memory_id for memory_id in pool.ids if memory_id not in suppressed]
    return list(dict.fromkeys(order))[: max(limit, state["k"])]


def left_out(pool: Pool, shortlist: list[str], state: RecallState) -> dict[str, Drop]:
    """Candidates that the critic does not get to see."""
    read = set(shortlist)
    last = shortlist[-1] if shortlist else None
    drops: dict[str, Drop] = {}
    for memory_id, candidate in state["candidates"].items():
        if memory_id in read:
            continue
        in_pool = memory_id in pool.ids
        drops[f"{memory_id}|{state['round']}|shortlist"] = Drop(
            memory_id=memory_id,
            stage="shortlist" if in_pool else "fuse",
            round=state["round"],
            reason=(
                f"its best relevance {candidate['score']:.2f} was not among the shortlist"
                if in_pool
                else "too far down in the ranking of every facet"
            ),
            rank=min(score["rank"] for score in candidate["scores"].values()),
            score=candidate["score"],
            threshold=None,
            against=last,
        )
    return drops
