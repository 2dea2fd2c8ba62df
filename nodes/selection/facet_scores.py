"""The scores of memories in facets, from what searches found and from the blend of the question."""

from collections.abc import Mapping

from secondhop.nodes.selection.blend import (
    NOTHING_FOUND,
    NOTHING_SUGGESTED,
    PLAYBOOKS,
    Blended,
    FacetRanking,
)
from secondhop.nodes.state import DIRECT, FacetScore, Suggested


def scores_by_memory(
    rankings: Mapping[str, FacetRanking],
) -> dict[str, dict[str, FacetScore]]:
    """{memory id: {facet id: its score there}}, facets in the order of `rankings`."""
    scores: dict[str, dict[str, FacetScore]] = {}
    for facet_id, ranking in rankings.items():
        for memory_id in ranking.fused:
            scores.setdefault(memory_id, {})[facet_id] = ranking.score(memory_id)
    return scores


def own_score(
    rank: int, blend: Blended, before: FacetScore | None, *, suggestion: tuple[str, float] | None
) -> FacetScore:
    """A memory's score for the question itself, with the blend as its relevance. `before`: by
    the question's own searches, if they found it; `suggestion`: (passage id, its cosine) of
    playbooks."""
    if before is not None:
        return {
            **before,
            "rank": rank,
            "relevance": blend.score,
            "text": before.get("text", before["relevance"]),
        }
    passage_id, cosine = suggestion or ("", 0.0)
    return {
        "rank": rank,
        "fused": 0.0,
        "relevance": blend.score,
        "dense": round(cosine, 4),
        "lexical": 0.0,
        "passage_ids": (passage_id,),
        "query_ids": ("q0",),
        "passage_scores": (0.0,),
        "text": 0.0,
    }


def suggested_score(
    rank: int, blend: Blended, facet_id: str, passage_id: str, share: float
) -> FacetScore:
    """A memory's score in the facet that suggested it, with the suggested passage as evidence."""
    return {
        "rank": rank,
        "fused": round(share, 6),
        "relevance": blend.score,
        "dense": 0.0,
        "lexical": 0.0,
        "passage_ids": (passage_id,),
        "query_ids": (facet_id,),
        "passage_scores": (1.0,),
    }


def blended_scores(
    rankings: Mapping[str, FacetRanking],
    blends: Mapping[str, Blended],
    suggested: Suggested | None = None,
) -> dict[str, dict[str, FacetScore]]:
    """{memory id: {facet id: its score there}}, best blend first. A memory whose largest part is
    that of the playbooks also gets a score in the facet that suggested it."""
    own = rankings.get(DIRECT, NOTHING_FOUND)
    others = scores_by_memory({f: one for f, one in rankings.items() if f != DIRECT})
    suggested = suggested or NOTHING_SUGGESTED
    rows = {memory_id: row for row, memory_id in enumerate(suggested["memory_ids"])}
    ranks: dict[str, int] = {}
    scores: dict[str, dict[str, FacetScore]] = {}
    for rank, (memory_id, blend) in enumerate(blends.items(), start=1):
        row = rows.get(memory_id)
        passage = None
        if row is not None:
            passage = suggested["passage_ids"][row], suggested["cosines"][row]
        before = own.score(memory_id) if memory_id in own.fused else None
        scores[memory_id] = {
            DIRECT: own_score(rank, blend, before, suggestion=passage),
            **others.pop(memory_id, {}),
        }
        facet_id = suggested["facet_ids"][row] if row is not None else ""
        if row is not None and facet_id and blend.parts[PLAYBOOKS] >= max(blend.parts.values()):
            ranks[facet_id] = ranks.get(facet_id, 0) + 1
            scores[memory_id][facet_id] = suggested_score(
                ranks[facet_id],
                blend,
                facet_id,
                suggested["passage_ids"][row],
                suggested["scores"][row],
            )
    for memory_id, facets in others.items():
        direct = {DIRECT: own.score(memory_id)} if memory_id in own.fused else {}
        scores[memory_id] = {**direct, **facets}
    return scores
