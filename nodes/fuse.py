"""Rankings of queries → one ranking a facet, and calibrated scores."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import TypeAlias

import numpy as np

from secondhop.nodes.kind_settings import ranking_for
from secondhop.nodes.relevance import calibrated_relevance
from secondhop.nodes.services import Services
from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.state import (
    Candidate,
    FacetScore,
    Hit,
    Leg,
    Ranking,
    RecallState,
    RecallUpdate,
)
from secondhop.ranking.arrays import Floats
from secondhop.ranking.fusion import reciprocal_rank_fusion
from secondhop.stores.records import MemoryCard

Relevance: TypeAlias = Callable[[Floats, Floats], Floats]
"""(cosines, normalised BM25), arrays of one shape → calibrated relevance, 0..1."""

EVIDENCE_PASSAGES = 3
"""Evidence passages kept a memory and facet: long documents must not win by length."""


@dataclass(slots=True)
class PassageScore:
    """The best one passage did for one facet."""

    query_id: str
    dense: float = nan
    """NaN: its cosine is not known."""
    lexical: float = 0.0
    relevance: float = 0.0


PassageScores: TypeAlias = dict[str, dict[str, PassageScore]]
"""By memory id and passage id: one facet, while its rankings are read."""


async def fuse(state: RecallState, *, services: Services) -> RecallUpdate:
    """Every facet gets its own ranking over all its queries of all rounds; none is pooled.

    A facet without a new query keeps the scores it has, unless a reranker has changed them.
    """
    ranking = ranking_for(state["kind"], state["question"], services.settings.ranking)
    depth = state["k"] * ranking.depth_factor
    relevance = partial(
        calibrated_relevance, settings=ranking, calibration=services.scale.calibration
    )
    fused = {
        facet_id: fuse_facet(
            facet_rankings(facet_id, state),
            depth=depth,
            relevance=relevance,
            settings=ranking,
        )
        for facet_id in (asked_facets(state) if services.reranker is None else state["facets"])
    }
    before = state.get("candidates", {})
    scores = scores_by_memory(state["facets"], fused, before)
    ids = sorted(scores)
    cards = await services.reader.cards(ids)
    candidates = {
        memory_id: before[memory_id]
        if memory_id in before and before[memory_id]["scores"] == scores[memory_id]
        else as_candidate(
            cards[memory_id], scores[memory_id], before.get(memory_id), state["round"]
        )
        for memory_id in ids
        if memory_id in cards
    }
    return {"candidates": candidates, "note": f"{len(candidates)} candidates"}


def asked_facets(state: RecallState) -> set[str]:
    """Facets whose queries were asked in this round."""
    number = state["round"]
    return {q["facet_id"] for q in state["queries"].values() if q["round"] == number}


def scores_by_memory(
    facet_ids: Iterable[str],
    fused: Mapping[str, Mapping[str, FacetScore]],
    before: Mapping[str, Candidate],
) -> dict[str, dict[str, FacetScore]]:
    """{memory: {facet: score}}: what was fused now, and for other facets the scores of before."""
    by_facet: dict[str, Mapping[str, FacetScore]] = {**fused}
    kept: defaultdict[str, dict[str, FacetScore]] = defaultdict(dict)
    for memory_id, candidate in before.items():
        for facet_id, score in candidate["scores"].items():
            if facet_id not in fused:
                kept[facet_id][memory_id] = score
    by_facet |= kept
    scores: defaultdict[str, dict[str, FacetScore]] = defaultdict(dict)
    for facet_id in facet_ids:
        for memory_id, score in by_facet.get(facet_id, {}).items():
            scores[memory_id][facet_id] = score
    return scores


def facet_rankings(facet_id: str, state: RecallState) -> list[Ranking]:
    """The rankings of one facet's queries, oldest query first.

    A name that good evidence held is to bring what is new: memories that were hot or warm before
    it was asked for gain nothing by holding it.
    """
    rankings: list[Ranking] = []
    for query_id, query in state["queries"].items():
        found = state["rankings"].get(query_id)
        if query["facet_id"] != facet_id or found is None:
            continue
        if query["origin"] == "evidence":
            known = set(state.get("positives", {}).get(str(query["round"] - 1), ()))
            found = without(found, known)
        rankings.append(found)
    return rankings


def without(ranking: Ranking, memory_ids: set[str]) -> Ranking:
    """The ranking without some memories."""
    kept = ranking.copy()
    kept["dense"] = [hit for hit in ranking["dense"] if hit["memory_id"] not in memory_ids]
    kept["lexical"] = [hit for hit in ranking["lexical"] if hit["memory_id"] not in memory_ids]
    return kept


def fuse_facet(
    rankings: Iterable[Ranking],
    *,
    depth: int,
    relevance: Relevance,
    settings: RankingSettings,
) -> dict[str, FacetScore]:
    """One facet's memories with fused rank and calibrated relevance, best first.

    A memory stands in a leg's ranking where its best passage stands; only the first `depth`
    memories of a leg count. Fusion is weighted RRF over all legs of all queries.
    """
    legs: tuple[tuple[Leg, float], ...] = (
        ("dense", settings.dense_weight),
        ("lexical", settings.lexical_weight),
    )
    orders: list[list[str]] = []
    weights: list[float] = []
    scores: PassageScores = defaultdict(dict)
    for found in rankings:
        cosines = found["cosines"] | {near["passage_id"]: near["score"] for near in found["dense"]}
        for leg, weight in legs:
            order = memory_order(found[leg])[:depth]
            orders.append(order)
            weights.append(weight)
            note_passages(scores, found, leg, kept=set(order), cosines=cosines)
    calibrate(scores, relevance)
    fused = reciprocal_rank_fusion(orders, k=settings.rrf_k, weights=weights) if orders else []
    return {
        memory_id: facet_score(scores[memory_id], rank, score)
        for rank, (memory_id, score) in enumerate(fused, start=1)
    }


def memory_order(hits: Iterable[Hit]) -> list[str]:
    """Memory ids in the order of their best passages."""
    return list(dict.fromkeys([hit["memory_id"] for hit in hits]))


def note_passages(
    scores: PassageScores,
    found: Ranking,
    leg: Leg,
    *,
    kept: Collection[str],
    cosines: Mapping[str, float],
) -> None:
    """Remember the best score of every passage of the kept memories, and the query behind it."""
    query_id, worded = found["query_id"], leg == "lexical"
    for hit in found[leg]:
        memory_id, passage_id = hit["memory_id"], hit["passage_id"]
        if memory_id not in kept:
            continue
        passages = scores[memory_id]
        score = passages.get(passage_id)
        if score is None:
            score = passages[passage_id] = PassageScore(query_id)
        if worded and hit["score"] > score.lexical:
            score.lexical = hit["score"]
        cosine = cosines.get(passage_id, nan)
        if cosine > score.dense or score.dense != score.dense:  # nothing was known so far
            score.dense, score.query_id = cosine, query_id


def calibrate(scores: PassageScores, relevance: Relevance) -> None:
    """Write every passage's relevance; all at once, because a call for each would take longer."""
    noted = [score for passages in scores.values() for score in passages.values()]
    dense = np.array([score.dense for score in noted], dtype=np.float64)
    lexical = np.array([score.lexical for score in noted], dtype=np.float64)
    for score, value in zip(noted, relevance(dense, lexical).tolist(), strict=True):
        score.relevance = value


def facet_score(passages: Mapping[str, PassageScore], rank: int, fused: float) -> FacetScore:
    """A memory within a facet: its best passage speaks for it."""
    ranked = sorted(passages.items(), key=by_relevance) if len(passages) > 1 else passages.items()
    kept = list(ranked)[:EVIDENCE_PASSAGES]
    relevances = [round(score.relevance, 4) for _, score in kept]
    dense = lexical = 0.0
    for score in passages.values():
        dense = score.dense if score.dense > dense else dense  # never, when it is NaN
        lexical = score.lexical if score.lexical > lexical else lexical
    return {
        "rank": rank,
        "fused": round(fused, 6),
        "relevance": relevances[0],
        "dense": round(dense, 4),
        "lexical": round(lexical, 4),
        "passage_ids": tuple([passage_id for passage_id, _ in kept]),
        "query_ids": tuple([score.query_id for _, score in kept]),
        "passage_scores": tuple(relevances),
    }


def by_relevance(passage: tuple[str, PassageScore]) -> tuple[float, str]:
    """Sorts best first, ties by passage id."""
    return -passage[1].relevance, passage[0]


def as_candidate(
    card: MemoryCard,
    scores: dict[str, FacetScore],
    before: Candidate | None,
    round_number: int,
) -> Candidate:
    """A memory of the pool with its scores in every facet that found it."""
    return Candidate(
        memory_id=card.memory_id,
        title=card.title,
        source=card.source,
        created_at=card.created_at.isoformat(),
        first_round=before["first_round"] if before else round_number,
        score=max([score["relevance"] for score in scores.values()]),
        scores=scores,
        kind=card.kind,
        salience=card.keeping.salience,
    )
