"""A session's state between rounds, small and plain: ids, numbers and the queries' words.

No vector and no text of a memory is in it, not even a title: what belongs to the memories is looked
up when the session goes on, and what was deleted or has ended meanwhile is then gone from it.
(Queries for names that good evidence held are words of a memory, all the same.)
"""

import json
from collections.abc import Mapping
from typing import Any, cast

from secondhop.errors import StoreError
from secondhop.graph.ranking_pack import IdTable, packed_ranking, unpacked_ranking
from secondhop.nodes.fuse import as_candidate
from secondhop.nodes.hidden import sight_of
from secondhop.nodes.services import Services
from secondhop.nodes.session_state import SessionState
from secondhop.nodes.spark import branch_name, branch_why, lateral_text
from secondhop.nodes.state import Candidate, Facet, FacetScore, Query, Vote
from secondhop.stores.records import MemoryCard

VERSION = 1
"""Grows when a packed state can no longer be read by an older secondhop."""

LEFT_OUT = frozenset(
    {"steps", "drops", "shortlist", "seen", "picks", "result", "answer", "resolved", "hidden"}
)
"""Keys of the state that the next round makes anew, or never reads."""

PACKED = frozenset({"rankings", "candidates", "queries", "facets", "votes"})


def pack(state: SessionState, *, depth: int) -> str:
    """JSON, from which `unpack` makes a state that the next round goes on with.

    Args:
        depth: memories of a ranking that count when it is fused.
    """
    ids = IdTable()
    sparks = state.get("sparks", {})
    candidates = {
        memory_id: packed_candidate(candidate, ids)
        for memory_id, candidate in state.get("candidates", {}).items()
    }
    rankings = [
        packed_ranking(ranking, state["queries"][query_id], ids, depth=depth)
        for query_id, ranking in state.get("rankings", {}).items()
    ]
    return json.dumps(
        {
            "version": VERSION,
            **{k: v for k, v in state.items() if k not in LEFT_OUT | PACKED},
            "picks": [[p["memory_id"], p["facet_id"]] for p in state.get("picks", [])],
            "facets": [without_title(facet, sparks) for facet in state["facets"].values()],
            "queries": [without_words(query) for query in state["queries"].values()],
            "votes": [without_reason(key, vote) for key, vote in state.get("votes", {}).items()],
            "candidates": candidates,
            "rankings": rankings,
            "ids": ids.passages,
        },
        separators=(",", ":"),
    )


async def unpack(text: str, *, services: Services) -> SessionState:
    """The state that was packed, with what the store says of its memories now.

    Raises:
        StoreError: it was written by another version of secondhop, or is damaged.
    """
    try:
        known: dict[str, Any] = json.loads(text)
        if known.pop("version") != VERSION:
            raise StoreError(
                "the session was written by another version of secondhop; start a new one, and "
                "let all workers that serve sessions run the same version"
            )
        return await unpacked(known, services=services)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise StoreError(f"the session is damaged ({error!r}); start a new one") from error


async def unpacked(known: dict[str, Any], *, services: Services) -> SessionState:
    """`unpack`, once the JSON is read."""
    passages = known.pop("ids")
    cards = await services.reader.cards(list(known["candidates"]))
    state = cast(SessionState, {**known, "rankings": {}, "candidates": {}})
    hidden = await services.hidden.of(sight_of(state), services)
    state["candidates"] = {
        memory_id: unpacked_candidate(cards[memory_id], row, passages)
        for memory_id, row in known["candidates"].items()
        if memory_id in cards and memory_id not in hidden.reasons
    }
    rankings = [unpacked_ranking(row, passages) for row in known["rankings"]]
    state["rankings"] = {ranking["query_id"]: ranking for ranking in rankings}
    state["picks"] = [{"memory_id": one, "facet_id": facet} for one, facet in known["picks"]]
    state["votes"] = {key: with_reason(vote) for key, vote in known["votes"]}
    state["facets"] = {
        facet["facet_id"]: with_title(facet, state.get("sparks", {}), cards)
        for facet in known["facets"]
    }
    state["queries"] = {
        query["query_id"]: with_words(query, state, cards) for query in known["queries"]
    }
    return state


# --- what holds words of a memory, and is made anew ---


def without_title(facet: Facet, sparks: Mapping[str, str]) -> Facet:
    """A branch is named for the memory that sparked it: left out."""
    return {**facet, "name": "", "why": ""} if facet["facet_id"] in sparks else facet


def with_title(facet: Facet, sparks: Mapping[str, str], cards: Mapping[str, MemoryCard]) -> Facet:
    """A branch under the name of its spark."""
    if facet["facet_id"] not in sparks:
        return facet
    title = title_of(sparks[facet["facet_id"]], cards)
    return {**facet, "name": branch_name(title), "why": branch_why(title)}


def without_words(query: Query) -> Query:
    """A lateral query holds a title: left out."""
    return {**query, "text": ""} if query["origin"] == "spark" else query


def with_words(query: Query, state: SessionState, cards: Mapping[str, MemoryCard]) -> Query:
    """A lateral query in its words."""
    if query["origin"] != "spark":
        return query
    spark = state.get("sparks", {}).get(query["facet_id"], "")
    return {**query, "text": lateral_text(title_of(spark, cards), state["question"])}


def title_of(memory_id: str, cards: Mapping[str, MemoryCard]) -> str:
    """As it stands in the store; "" once it is deleted."""
    card = cards.get(memory_id)
    return card.title if card is not None else ""


def without_reason(key: str, vote: Vote) -> list[Any]:
    """A model's reason may quote what it read: left out."""
    return [key, {name: said for name, said in vote.items() if name != "reason"}]


def with_reason(vote: dict[str, Any]) -> Vote:
    """A vote as the state keeps it."""
    return cast(Vote, {"reason": f"said the {vote['by']}", **vote})


# --- candidates ---


def packed_candidate(candidate: Candidate, ids: IdTable) -> list[Any]:
    """[first round, {facet: its score}]; a score as the list of its fields, passages by number."""
    memory_id = candidate["memory_id"]
    scores = {
        facet_id: [
            score["rank"],
            score["fused"],
            score["relevance"],
            score["dense"],
            score["lexical"],
            [ids.place(passage_id, memory_id) for passage_id in score["passage_ids"]],
            score["query_ids"],
            score["passage_scores"],
        ]
        for facet_id, score in candidate["scores"].items()
    }
    return [candidate["first_round"], scores]


def unpacked_candidate(card: MemoryCard, row: list[Any], passages: list[list[str]]) -> Candidate:
    """The candidate with its card of today."""
    first_round, packed = row
    scores = {
        facet_id: FacetScore(
            rank=rank,
            fused=fused,
            relevance=relevance,
            dense=dense,
            lexical=lexical,
            passage_ids=[passages[place][0] for place in places],
            query_ids=query_ids,
            passage_scores=passage_scores,
        )
        for facet_id, (
            rank,
            fused,
            relevance,
            dense,
            lexical,
            places,
            query_ids,
            passage_scores,
        ) in packed.items()
    }
    return as_candidate(card, scores, None, first_round)
