"""Fuses the rankings of queries into one ranking per facet, with calibrated scores."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import nan
from typing import TypeAlias

import numpy as np

from secondhop.nodes.config import SHORTLIST_LIMIT
from secondhop.nodes.effort import embeds_once, is_unplanned
from secondhop.nodes.planning.question_kind import LOOKUP_SHARES, LOOKUPS, SHARES
from secondhop.nodes.retrieval.cue_search import best_proved, found_by_cues
from secondhop.nodes.retrieval.similarity import cosines_of, rows
from secondhop.nodes.retrieve import depth_of
from secondhop.nodes.selection.blend import (
    BROAD_CUES,
    CUES,
    NOTHING_FOUND,
    Blended,
    CueCounts,
    FacetRanking,
    blended,
)
from secondhop.nodes.selection.facet_scores import blended_scores, scores_by_memory
from secondhop.nodes.selection.naming import named_memory, says_its_subject
from secondhop.nodes.services import Services
from secondhop.nodes.state import (
    DIRECT,
    Candidate,
    CueHits,
    FacetScore,
    Ranking,
    RecallState,
    RecallUpdate,
    Retriever,
)
from secondhop.ranking.arrays import Floats
from secondhop.ranking.calibration import calibrated_relevance
from secondhop.ranking.fusion import reciprocal_rank_fusion
from secondhop.stores.records import MemoryCard

Relevance: TypeAlias = Callable[[Floats, Floats], Floats]
"""(cosines, normalised BM25), arrays of one shape → calibrated relevance, 0..1."""

EVIDENCE_PASSAGES = 3
"""Evidence passages kept per memory and facet: long documents must not win by length."""


KEPT = SHORTLIST_LIMIT
"""Candidates kept for a question without a plan, of 80 that are compared: all that a critic may be
shown. If passages fill a budget of tokens, or facets share the slots, all are kept."""

RRF_K = 60
"""Damping constant of reciprocal rank fusion."""

CUE_WEIGHT = 1.0
"""Weight of the ranking by cues among those of a planned facet."""

PROVED_WEIGHT = 0.5
"""Weight of the ranking of memories that helped in sessions about similar questions."""

HYBRID = (0.5, 0.5)
"""Weights of the dense and the lexical ranking without a plan: as in plain hybrid search."""


@dataclass(slots=True, eq=False)
class Noted:
    """The best scores of each passage for one facet, collected from its rankings, in columns."""

    places: dict[str, int] = field(default_factory=dict[str, int])
    """{passage id: its row}."""
    of_memory: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """{memory id: rows of its passages}."""
    passage_ids: list[str] = field(default_factory=list[str])
    query_ids: list[str] = field(default_factory=list[str])
    dense: list[float] = field(default_factory=list[float])
    """NaN: the cosine is unknown."""
    lexical: list[float] = field(default_factory=list[float])
    nearest: dict[str, float] = field(default_factory=dict[str, float])
    """{memory id: its best cosine above 0}."""
    relevances: list[float] = field(default_factory=list[float])
    """Calibrated; [] until all rankings have been read."""


async def fuse(state: RecallState, *, services: Services) -> RecallUpdate:
    """Give every facet its own ranking, over all its queries of all rounds; facets are not pooled.

    A facet without a new query keeps its scores, unless there is a reranker, which changes scores.
    """
    before = state.get("candidates", {})
    suggested, cued = state.get("suggested"), cues_of_question(state)
    rankings = rankings_by_facet(state, services)
    hidden = (await services.hidden.of(state, services)).reasons
    # without cues, only the memories that the blend keeps are looked up, below
    cards = await cards_found(rankings, state, services) if state.get("annotated") else {}
    blends: Mapping[str, Blended] = {}
    if suggested is None and cued is None:
        scores = scores_by_memory(rankings)
    else:
        outdated = {one for one, card in cards.items() if outdated_by(card, hidden)}
        named = await named_by_question(state, services, leaving_out=outdated)
        found = rankings.get(DIRECT, NOTHING_FOUND)
        blends = blend_of(state, found, cards, outdated=outdated, named=named)
        scores = blended_scores(rankings, blends, suggested)
    if unknown := scores.keys() - cards.keys():
        cards |= await services.reader.cards(sorted(unknown))
    cues = telling_cues(blends, cued)
    proved = state["learned"]["questions"] if "learned" in state else {}
    candidates = {
        memory_id: as_candidate(
            cards[memory_id],
            scores[memory_id],
            before.get(memory_id),
            state["round"],
            blend=blends.get(memory_id),
            hidden=hidden,
            cue=cues.get(memory_id),
            proved_for=proved.get(memory_id),
        )
        for memory_id in sorted(scores)
        if memory_id in cards
    }
    return {"candidates": candidates, "note": f"{len(candidates)} candidates"}


def cues_of_question(state: RecallState) -> CueHits | None:
    """The memories that the question found by cues; None if by none but those of sessions."""
    own = state.get("rankings", {}).get("q0")
    cued = own.get("cues") if own is not None else None
    return cued if cued is not None and cued["memory_ids"] else None


def blend_of(
    state: RecallState,
    found: FacetRanking,
    cards: Mapping[str, MemoryCard],
    *,
    outdated: Collection[str],
    named: str,
) -> dict[str, Blended]:
    """{memory id: its blend}, for what the question found and what was suggested."""
    all_count = state.get("tokens") is not None or not is_unplanned(state)
    return blended(
        found,
        suggested=state.get("suggested"),
        cued=cues_of_question(state),
        cue_counts={
            one.memory_id: CueCounts(len(one.cues), len(one.undertakings))
            for one in cards.values()
            if one.cues or one.undertakings
        },
        undertakings={
            one: card.undertakings
            for one, card in cards.items()
            if card.undertakings and one not in outdated
        },
        named=named,
        kept=state["learned"]["factors"] if "learned" in state else (),
        look_up=state["kind"] in LOOKUPS,
        limit=None if all_count else max(KEPT, state["k"]),
    )


async def named_by_question(
    state: RecallState, services: Services, *, leaving_out: Collection[str]
) -> str:
    """The id of the memory that the question names; "" if it names none, or is a look-up, or if no
    memory has cues."""
    own, question = state["rankings"].get("q0"), state["question"]
    if own is None or state["kind"] in LOOKUPS or not state.get("annotated"):
        return ""
    named = named_memory(own, question, leaving_out=leaving_out)
    worded = [passage for passage, memory_id, _ in rows(own["lexical"]) if memory_id == named]
    passages = await services.reader.passages(worded) if worded else {}
    says_so = any(says_its_subject(question, one.text) for one in passages.values())
    return named if says_so else ""


def rankings_by_facet(state: RecallState, services: Services) -> dict[str, FacetRanking]:
    """{facet id: its ranking}; without a reranker, a facet with no new query keeps its own."""
    shares = LOOKUP_SHARES if state["kind"] in LOOKUPS else SHARES
    calibration = services.scale.calibration_for(as_texts=embeds_once(state))
    fused = partial(
        fuse_facet,
        depth=depth_of(state, services.settings.ranking),
        relevance=partial(calibrated_relevance, shares=shares, calibration=calibration),
        weights=HYBRID if is_unplanned(state) else shares,
        cue_weight=0.0 if is_unplanned(state) else CUE_WEIGHT,
    )
    before = state.get("candidates", {})
    new = {q["facet_id"] for q in state["queries"].values() if q["round"] == state["round"]}
    searched = new if services.reranker is None else state["facets"].keys()
    found: dict[str, list[Ranking]] = {facet_id: [] for facet_id in state["facets"]}
    for query_id, query in state["queries"].items():
        if query_id in state["rankings"]:
            found[query["facet_id"]].append(state["rankings"][query_id])
    return {
        facet_id: fused(found[facet_id])
        if facet_id in searched
        else known_ranking(facet_id, before)
        for facet_id in state["facets"]
    }


async def cards_found(
    rankings: Mapping[str, FacetRanking], state: RecallState, services: Services
) -> dict[str, MemoryCard]:
    """{memory id: its card}, for all memories that searches and playbooks found."""
    suggested = state.get("suggested")
    brought = [] if suggested is None else suggested["memory_ids"]
    found = {*brought, *(one for ranking in rankings.values() for one in ranking.fused)}
    return await services.reader.cards(sorted(found))


def telling_cues(blends: Mapping[str, Blended], cued: CueHits | None) -> dict[str, str]:
    """{memory id: its nearest cue, or the shared broad cue}, if that raises its score."""
    if cued is None:
        return {}
    nearest = zip(cued["memory_ids"], cued["cues"], strict=True)
    shared = {one: blend.undertaking for one, blend in blends.items() if blend.undertaking}
    return shared | {
        memory_id: words
        for memory_id, words in nearest
        if (blend := blends.get(memory_id)) is not None
        and blend.parts.get(CUES, 0.0) + blend.parts.get(BROAD_CUES, 0.0) > 0
    }


def known_ranking(facet_id: str, before: Mapping[str, Candidate]) -> FacetRanking:
    """The ranking that earlier rounds left of a facet without a new query."""
    known = {
        memory_id: candidate["scores"][facet_id]
        for memory_id, candidate in before.items()
        if facet_id in candidate["scores"]
    }
    return FacetRanking(
        fused={one: score["fused"] for one, score in known.items()},
        dense={one: score["dense"] for one, score in known.items()},
        lexical={one: score["lexical"] for one, score in known.items()},
        score=known.__getitem__,
    )


def fuse_facet(
    rankings: Iterable[Ranking],
    *,
    depth: int,
    relevance: Relevance,
    weights: tuple[float, float],
    cue_weight: float = 0.0,
) -> FacetRanking:
    """One facet's memories with fused rank and calibrated relevance, best first.

    Fusion is weighted RRF over all queries' dense and lexical rankings, and those by cues and by
    sessions. A memory ranks where its best passage does; the first `depth` memories of a dense or
    lexical ranking count.

    Args:
        weights: of the dense and of the lexical rankings.
        cue_weight: of the rankings by cues; 0: cues bring memories, but their order adds nothing.
    """
    retrievers: tuple[Retriever, Retriever] = ("dense", "lexical")
    orders: list[list[str]] = []
    shares: list[float] = []
    noted = Noted()
    for found in rankings:
        cosines, cued = cosines_of(found), found_by_cues(found["cues"]) if "cues" in found else []
        for retriever, weight in zip(retrievers, weights, strict=True):
            order = list(dict.fromkeys(found[retriever]["memory_ids"]))[:depth]
            orders.append(order)
            shares.append(weight)
            kept = {*order, *cued}
            note_passages(noted, found, retriever, kept=kept, cosines=cosines)
        proved = best_proved(found["cues"]) if "cues" in found else []
        for order, weight in ((cued, cue_weight), (proved, PROVED_WEIGHT)):
            orders.append([one for one in order if one in noted.of_memory])
            shares.append(weight)
    noted.relevances = relevance(np.array(noted.dense), np.array(noted.lexical)).tolist()
    fused = reciprocal_rank_fusion(orders, k=RRF_K, weights=shares) if orders else []
    ranks = {memory_id: rank for rank, (memory_id, _) in enumerate(fused, start=1)}
    by_rank = {memory_id: round(score, 6) for memory_id, score in fused}
    return FacetRanking(
        fused=by_rank,
        dense={one: round(noted.nearest.get(one, 0.0), 4) for one in by_rank},
        lexical={one: max([noted.lexical[row] for row in noted.of_memory[one]]) for one in by_rank},
        score=lambda one: facet_score(noted, one, ranks[one], by_rank[one]),
    )


def note_passages(
    noted: Noted,
    found: Ranking,
    retriever: Retriever,
    *,
    kept: Collection[str],
    cosines: Mapping[str, float],
) -> None:
    """Note the best scores of every passage of the kept memories, and the query behind them."""
    query_id, worded = found["query_id"], retriever == "lexical"
    dense, lexical, query_ids = noted.dense, noted.lexical, noted.query_ids
    places, nearest = noted.places, noted.nearest
    for passage_id, memory_id, score in rows(found[retriever]):
        if memory_id not in kept:
            continue
        row = places.get(passage_id)
        if row is None:
            row = places[passage_id] = len(query_ids)
            noted.passage_ids.append(passage_id)
            noted.of_memory.setdefault(memory_id, []).append(row)
            query_ids.append(query_id)
            dense.append(nan)
            lexical.append(0.0)
        if worded and score > lexical[row]:
            lexical[row] = score
        cosine = cosines.get(passage_id, nan)
        if cosine > nearest.get(memory_id, 0.0):  # never NaN
            nearest[memory_id] = cosine
        if cosine > dense[row] or dense[row] != dense[row]:  # nothing was known so far
            dense[row], query_ids[row] = cosine, query_id


def facet_score(noted: Noted, memory_id: str, rank: int, fused: float) -> FacetScore:
    """A memory's score in a facet: that of its best passage; ties go to the smaller passage id."""
    own = noted.of_memory[memory_id]
    ids, relevances = noted.passage_ids, noted.relevances
    kept = sorted(own, key=lambda row: (-relevances[row], ids[row])) if len(own) > 1 else own
    kept = kept[:EVIDENCE_PASSAGES]
    scores = [round(relevances[row], 4) for row in kept]
    return {
        "rank": rank,
        "fused": fused,
        "relevance": scores[0],
        "dense": round(noted.nearest.get(memory_id, 0.0), 4),
        "lexical": round(max([noted.lexical[row] for row in own]), 4),
        "passage_ids": tuple([ids[row] for row in kept]),
        "query_ids": tuple([noted.query_ids[row] for row in kept]),
        "passage_scores": tuple(scores),
    }


def as_candidate(
    card: MemoryCard,
    scores: dict[str, FacetScore],
    before: Candidate | None,
    round_number: int,
    *,
    blend: Blended | None = None,
    hidden: Collection[str] = (),
    cue: str | None = None,
    proved_for: str | None = None,
) -> Candidate:
    """A memory as a candidate, with its scores in every facet that found it; the one of `before` if
    the scores are the same.

    Args:
        hidden: ids of memories that may not be shown.
    """
    if before is not None and before["scores"] == scores:
        return before
    candidate = Candidate(
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
    if blend is not None:
        candidate["parts"] = dict(blend.parts)
        if blend.undertaking:
            candidate["undertaking"] = blend.undertaking
    if card.role:
        candidate["role"] = card.role
    if newer := outdated_by(card, hidden):
        candidate["outdated_by"] = newer
    if cue is not None:
        candidate["cue"] = cue
    if proved_for is not None:
        candidate["proved_for"] = proved_for
    return candidate


def outdated_by(card: MemoryCard, hidden: Collection[str]) -> str:
    """Id of the newest memory that replaces this one and may be shown; "" if there is none."""
    if not card.replaced_by:
        return ""
    return next((one for one in card.replaced_by if one not in hidden), "")
