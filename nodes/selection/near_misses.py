"""Near misses: the memories that came closest to the answer, with what kept each one out."""

from collections.abc import Collection, Iterable, Sequence
from math import prod

from secondhop.nodes.config import Config, RankingSettings
from secondhop.nodes.selection.relevance import (
    OF_THE_QUESTION,
    UNNAMED_FACTOR,
    last_votes,
    newer_factor,
    score_factors,
)
from secondhop.nodes.selection.slots import slot_rule
from secondhop.nodes.state import DIRECT, Drop, RecallState


def near_misses(
    state: RecallState,
    picks: Collection[str],
    *,
    over_budget: Iterable[Drop],
    settings: Config,
) -> dict[str, Drop]:
    """{memory id: why it is not in the answer}, for at most `limits.maybe` near misses.

    Memories without room in a budget of tokens come first, then what the last round cut, the best
    score first, whatever cut it. What the critic refused is a near miss; what people refused is
    none.
    """
    by_critic = {one for one, vote in last_votes(state).items() if vote["by"] == "critic"}
    last = [
        drop
        for drop in state.get("drops", {}).values()
        if drop["round"] == state["round"]
        and drop["memory_id"] not in picks
        and (
            drop["stage"] == "pick"
            or (drop["stage"] == "critique" and drop["memory_id"] in by_critic)
        )
    ]
    scores = slot_scores([one["memory_id"] for one in last], state, settings=settings.ranking)
    far = 1_000_000
    last.sort(key=lambda one: (-scores[one["memory_id"]], one["rank"] or far, one["memory_id"]))
    nearest: dict[str, Drop] = {}
    for drop in (*(one for one in over_budget if one["stage"] == "tokens"), *last):
        if len(nearest) < settings.limits.maybe:
            nearest.setdefault(drop["memory_id"], drop)
    return nearest


def slot_scores(
    memory_ids: Sequence[str], state: RecallState, *, settings: RankingSettings
) -> dict[str, float]:
    """{memory id: the score by which it competed for a slot}, also if votes kept it out; see
    `secondhop.graph.deciding`."""
    candidates = [state["candidates"][one] for one in memory_ids]
    rule, votes, sparks = slot_rule(state), last_votes(state), state.get("sparks", {})
    factors = score_factors(candidates, state, settings)
    if rule == "facets":
        del factors[OF_THE_QUESTION]
    scores: dict[str, float] = {}
    for row, one in enumerate(candidates):
        memory_id, own = one["memory_id"], one["scores"].get(DIRECT)
        if rule == "hybrid ranks" or rule == "relevance":
            found = 0.0 if own is None else own["fused" if rule == "hybrid ranks" else "relevance"]
        else:
            newer = newer_factor(one) if memory_id in state.get("weakened", {}) else 1.0
            unnamed = memory_id in votes and votes[memory_id].get("unnamed")
            found = one["score"]
            if sparks:  # the branches of a session take no slots
                main = (s["relevance"] for f, s in one["scores"].items() if f not in sparks)
                found = max(main, default=0.0)
            found *= newer * (UNNAMED_FACTOR if unnamed else 1.0)
        scores[memory_id] = found * prod(float(column[row]) for column in factors.values())
    return scores
