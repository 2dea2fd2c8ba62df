"""Draws the critic's shortlist, spread over the facets, and stores the best answer so far."""

from secondhop.nodes.selection.pool import Pool, load_pool, slot_facets
from secondhop.nodes.selection.relevance import last_votes
from secondhop.nodes.selection.shortlist import draw_shortlist, repeated
from secondhop.nodes.selection.slots import best_answer
from secondhop.nodes.services import Services
from secondhop.nodes.state import Drop, RecallState, RecallUpdate
from secondhop.ranking.votes import IN_FAVOUR


async def diversify(state: RecallState, *, services: Services) -> RecallUpdate:
    """Draw the shortlist: facets share it in proportion to their weights.

    In later rounds it holds the memories that were voted for, plus half as many places as usual for
    new ones.
    """
    limit = max(services.settings.limits.shortlist, state["k"])
    if state["round"] > 1:
        votes = last_votes(state).values()
        limit = sum(vote["vote"] in IN_FAVOUR for vote in votes) + limit // 2
    pool = await load_pool(state["candidates"], slot_facets(state), state, services=services)
    answer = best_answer(pool, state, settings=services.settings.ranking)
    shortlist = draw_shortlist(
        pool,
        state,
        first=[pick["memory_id"] for pick in answer.selected.picks],
        limit=limit,
    )
    return {
        "shortlist": shortlist,
        "repeats": repeated(pool, shortlist),
        "picks": answer.picks,
        "drops": left_out(pool, shortlist, state),
        "note": f"{len(shortlist)} of {len(state['candidates'])} candidates on the shortlist",
    }


def left_out(pool: Pool, shortlist: list[str], state: RecallState) -> dict[str, Drop]:
    """Drops for the candidates that the critic does not see."""
    read, drawn = set(shortlist), set(pool.ids)
    last = shortlist[-1] if shortlist else None
    drops: dict[str, Drop] = {}
    for memory_id, candidate in state["candidates"].items():
        if memory_id in read:
            continue
        in_pool = memory_id in drawn
        drops[f"{memory_id}|{state['round']}|shortlist"] = Drop(
            memory_id=memory_id,
            stage="shortlist" if in_pool else "fuse",
            round=state["round"],
            reason=(
                f"its best relevance, {candidate['score']:.2f}, was too low for the shortlist"
                if in_pool
                else "too far down in the ranking of every facet"
            ),
            rank=min([score["rank"] for score in candidate["scores"].values()]),
            score=candidate["score"],
            threshold=None,
            against=last,
        )
    return drops
