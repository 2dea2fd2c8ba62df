"""A session's state between rounds, small and plain: ids, numbers and the queries' words.

No vector and no text of a memory is in it, not even a title: what belongs to the memories is looked
up when the session goes on, and what was deleted or has ended meanwhile is then gone from it.
(Queries for names that good evidence held, and names of facts that were looked up, are words of a
memory, all the same.)
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from secondhop.errors import StoreError
from secondhop.graph.ranking_pack import IdTable, packed_ranking, unpacked_ranking
from secondhop.nodes.fuse import as_candidate
from secondhop.nodes.selection.learned import hook_name, hook_why
from secondhop.nodes.selection.visibility import sight_of
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
    titled = titled_facets(state)
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
            "facets": [without_title(facet, titled) for facet in state["facets"].values()],
            "queries": [without_words(query, titled) for query in state["queries"].values()],
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
    services.hidden.forget(state["trace_id"])  # it may have ended since the round
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
    if unseen := {*titled_facets(state).values()} - {*cards}:
        cards |= await services.reader.cards(sorted(unseen))
    state["facets"] = {
        facet["facet_id"]: with_title(facet, state, cards) for facet in known["facets"]
    }
    state["queries"] = {
        query["query_id"]: with_words(query, state, cards) for query in known["queries"]
    }
    return state


# --- what holds words of a memory, and is made anew ---


def hooks_of(state: SessionState) -> Mapping[str, str]:
    """{facet that a hook opened: the memory that it leads to}."""
    learned = state.get("learned")
    return learned["hooks"] if learned is not None else {}


def titled_facets(state: SessionState) -> dict[str, str]:
    """{facet that is named for a memory: that memory}: branches, and what hooks opened."""
    return {**state.get("sparks", {}), **hooks_of(state)}


def without_title(facet: Facet, titled: Mapping[str, str]) -> Facet:
    """The name of a memory is left out."""
    return {**facet, "name": "", "why": ""} if facet["facet_id"] in titled else facet


def with_title(facet: Facet, state: SessionState, cards: Mapping[str, MemoryCard]) -> Facet:
    """A branch under the name of its spark, a hook's facet under that of what it leads to."""
    memory_id = titled_facets(state).get(facet["facet_id"])
    if memory_id is None:
        return facet
    title = title_of(memory_id, cards)
    if facet["facet_id"] in hooks_of(state):
        return {**facet, "name": hook_name(title), "why": hook_why(title)}
    return {**facet, "name": branch_name(title), "why": branch_why(title)}


def without_words(query: Query, titled: Mapping[str, str]) -> Query:
    """A query for a memory by its title: left out."""
    return {**query, "text": ""} if is_titled(query, titled) else query


def with_words(query: Query, state: SessionState, cards: Mapping[str, MemoryCard]) -> Query:
    """Such a query in its words."""
    titled = titled_facets(state)
    if not is_titled(query, titled):
        return query
    title = title_of(titled.get(query["facet_id"], ""), cards)
    return {**query, "text": lateral_text(title, state["question"])}


def is_titled(query: Query, titled: Mapping[str, str]) -> bool:
    """Whether its text holds a memory's title."""
    return query["origin"] == "spark" or (
        query["origin"] == "learned" and query["facet_id"] in titled
    )


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

    def ids(places: Iterable[int]) -> tuple[str, ...]:
        return tuple([passages[place][0] for place in places])

    scores = {
        facet_id: FacetScore(
            rank=rank,
            fused=fused,
            relevance=relevance,
            dense=dense,
            lexical=lexical,
            passage_ids=ids(places),
            query_ids=tuple(query_ids),
            passage_scores=tuple(passage_scores),
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
