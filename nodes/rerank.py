"""Optional node: a cross-encoder reads query and passage together, before candidates are cut."""

import asyncio
from collections import defaultdict

from secondhop.errors import ModelError
from secondhop.models.reranker import Reranker
from secondhop.nodes.budget import remaining
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate, RecallState, RecallUpdate
from secondhop.wording import counted

PAIRS = 50
"""(query, passage) pairs that the model reads per round."""

MIX = 0.5
"""Weight of the reranker's score in the relevance of a pair that it read."""

TIME_SHARE = 0.5
"""Share of the time left that it may take; later steps still have to choose."""


async def rerank(state: RecallState, *, services: Services) -> RecallUpdate:
    """Mix the reranker's score into the best (candidate, facet) pairs, at most `PAIRS` a round."""
    if services.reranker is None:
        return {"note": "no reranker"}  # a resumed checkpoint may come from a recall that had one
    pairs = best_pairs(state)
    try:
        async with asyncio.timeout(TIME_SHARE * remaining(state, services.settings.limits).seconds):
            scores = await pair_scores(pairs, state, services.reranker, services=services)
    except (ModelError, TimeoutError) as error:
        reason = f"rerank: {str(error) or 'no answer in time'}; kept the fused order"
        return {"degraded": {f"rerank {state['round']}": reason}}
    candidates = {**state["candidates"]}
    for (memory_id, facet_id), score in scores.items():
        candidates[memory_id] = mixed(candidates[memory_id], facet_id, score)
    return {"candidates": candidates, "note": counted(len(scores), "pair")}


def best_pairs(state: RecallState) -> list[tuple[str, str]]:
    """The `PAIRS` (memory id, facet id) pairs with the highest relevance, best first."""
    pairs = [
        (score["relevance"], memory_id, facet_id)
        for memory_id, candidate in state["candidates"].items()
        for facet_id, score in candidate["scores"].items()
    ]
    ranked = sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2]))
    return [(memory_id, facet_id) for _, memory_id, facet_id in ranked[:PAIRS]]


async def pair_scores(
    pairs: list[tuple[str, str]], state: RecallState, reranker: Reranker, *, services: Services
) -> dict[tuple[str, str], float]:
    """{(memory id, facet id): score of its best passage for the query that found it}."""
    wanted: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for memory_id, facet_id in pairs:
        score = state["candidates"][memory_id]["scores"][facet_id]
        query = state["queries"][score["query_ids"][0]]["text"]
        wanted[query].append((memory_id, facet_id, score["passage_ids"][0]))
    ids = sorted({passage_id for rows in wanted.values() for _, _, passage_id in rows})
    passages = await services.reader.passages(ids)
    scores: dict[tuple[str, str], float] = {}
    for query, rows in wanted.items():
        known = [row for row in rows if row[2] in passages]
        texts = [passages[passage_id].text for _, _, passage_id in known]
        found = await reranker.rerank(query, texts) if texts else []
        scores |= {(m, f): score for (m, f, _), score in zip(known, found, strict=True)}
    return scores


def mixed(candidate: Candidate, facet_id: str, score: float) -> Candidate:
    """The candidate with its relevance to one facet moved towards the reranker's score.

    Its fused score moves in the same proportion.
    """
    entry = candidate["scores"][facet_id].copy()
    before = entry["relevance"]
    entry["relevance"] = round((1 - MIX) * before + MIX * score, 4)
    if before > 0:  # look-ups are answered in this order (`nodes/selection/slots.py`)
        entry["fused"] = round(entry["fused"] * entry["relevance"] / before, 6)
    moved = candidate.copy()
    moved["scores"] = {**candidate["scores"], facet_id: entry}
    moved["score"] = max(other["relevance"] for other in moved["scores"].values())
    return moved
