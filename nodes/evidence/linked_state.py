"""Links as state: a facet and a query each, and the memories that they brought."""

from collections.abc import Sequence
from functools import partial
from typing import TypedDict

from secondhop.nodes.evidence.links import Link
from secondhop.nodes.fuse import as_candidate, fuse_facet
from secondhop.nodes.planning.question_kind import SHARES
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate, Facet, FacetScore, Query, Ranking, RecallState
from secondhop.ranking.calibration import calibrated_relevance

WEIGHT = 0.3
"""Of the facet that a lead opens; as for the names that the critic follows."""

HOP = 3

NAMES_SHOWN = 3


class Linked(TypedDict):
    """What a recall has found last of all; as in its state."""

    facets: dict[str, Facet]
    queries: dict[str, Query]
    rankings: dict[str, Ranking]
    candidates: dict[str, Candidate]
    """All of them, those of before included."""


def extended(state: RecallState, linked: Linked) -> RecallState:
    """The state as it will be once the graph has taken it in."""
    return {
        **state,
        "facets": {**state["facets"], **linked["facets"]},
        "queries": {**state["queries"], **linked["queries"]},
        "rankings": {**state["rankings"], **linked["rankings"]},
        "candidates": linked["candidates"],
    }


async def linked_state(links: Sequence[Link], state: RecallState, *, services: Services) -> Linked:
    """Facets, queries, rankings and new candidates; votes and earlier scores stay as they are."""
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    for number, link in enumerate(links, start=1):
        facets[f"l{number}"] = as_facet(link, f"l{number}")
        queries[f"lq{number}"] = as_query(link, number, round_number=state["round"])
    rankings: dict[str, Ranking] = {
        query_id: {**link.ranking, "query_id": query_id}
        for query_id, link in zip(queries, links, strict=True)
    }
    found = Linked(facets=facets, queries=queries, rankings=rankings, candidates={})
    new = await new_candidates(found, state, services=services)
    return {**found, "candidates": {**state.get("candidates", {}), **new}}


def as_facet(link: Link, facet_id: str) -> Facet:
    """What the names of one passage lead to."""
    return Facet(
        facet_id=facet_id,
        name="with " + ", ".join(list(link.lead.names)[:NAMES_SHOWN]),
        why="Named where a part of the question is answered.",
        hop=HOP,
        weight=WEIGHT,
    )


def as_query(link: Link, number: int, *, round_number: int) -> Query:
    """What the passage left open."""
    return Query(
        query_id=f"lq{number}",
        facet_id=f"l{number}",
        text=link.lead.open_question,
        hop=HOP,
        round=round_number,
        origin="evidence",
        feedback=[],
    )


async def new_candidates(
    linked: Linked, state: RecallState, *, services: Services
) -> dict[str, Candidate]:
    """The memories that nothing else had found, scored as in any facet."""
    relevance = partial(
        calibrated_relevance,
        shares=SHARES,
        calibration=services.scale.calibration,
    )
    scores: dict[str, dict[str, FacetScore]] = {}
    for query_id, ranking in linked["rankings"].items():
        facet_id = linked["queries"][query_id]["facet_id"]
        depth = len(ranking["lexical"]["passage_ids"])
        fused = fuse_facet(
            [ranking],
            depth=depth,
            relevance=relevance,
            weights=SHARES,
        )
        for memory_id in fused.fused:
            if memory_id not in state.get("candidates", {}):
                scores.setdefault(memory_id, {})[facet_id] = fused.score(memory_id)
    cards = await services.reader.cards(sorted(scores))
    return {
        memory_id: as_candidate(card, scores[memory_id], None, state["round"])
        for memory_id, card in cards.items()
    }
