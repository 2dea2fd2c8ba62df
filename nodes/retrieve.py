"""All queries of a round: one search by similarity, one by words."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from secondhop.errors import SecondhopError
from secondhop.nodes.config import RankingSettings
from secondhop.nodes.retrieval.hits import as_hits, count_of
from secondhop.nodes.retrieval.query_vectors import query_vectors
from secondhop.nodes.retrieval.restricted_search import hits_among
from secondhop.nodes.selection.visibility import Hidden, Visible, sight_of, visible
from secondhop.nodes.services import Services
from secondhop.nodes.state import (
    TOO_LATE,
    Hits,
    Query,
    Ranking,
    RecallState,
    RecallUpdate,
    is_unplanned,
)
from secondhop.stores.records import PassageHit, Vector, Vectors

T = TypeVar("T")

PASSAGES_A_MEMORY = 3
"""Passages fetched a wanted memory: long memories fill a ranking with several of theirs."""

UNPLANNED = 200
"""Memories that the question brings where nothing else is asked; what can still win is among
them."""


def depth_of(state: RecallState, ranking: RankingSettings) -> int:
    """Memories of each ranking that count."""
    planned = state["k"] * ranking.depth_factor
    return max(planned, UNPLANNED) if is_unplanned(state) else planned


async def retrieve(state: RecallState, *, services: Services) -> RecallUpdate:
    """Rankings of every query of the round; if a search fails, the trace says so."""
    asked = [one for one in state["queries"].values() if one["round"] == state["round"]]
    rankings = await ranked(asked, state, services=services)
    passages = [
        sum(count_of(found[leg]) for found in rankings.values()) for leg in ("dense", "lexical")
    ]
    update: RecallUpdate = {
        "rankings": rankings,
        "note": f"{len(asked)} queries: {passages[0]} dense, {passages[1]} lexical",
    }
    errors = dict.fromkeys(found["error"] for found in rankings.values() if found["error"])
    if errors:
        reason = f"round {state['round']} lost a search: {'; '.join(errors)}"
        update["degraded"] = {f"retrieve {state['round']}": reason}
    return update


async def ranked(
    asked: Sequence[Query], state: RecallState, *, services: Services
) -> dict[str, Ranking]:
    """{query id: what both searches found}; they run side by side, each until the deadline.

    A query that names its memories looks at those alone.
    """
    hidden = await services.hidden.of(sight_of(state), services)
    depth = depth_of(state, services.settings.ranking) * PASSAGES_A_MEMORY
    seconds = max(0.0, state["deadline_at"] - time.time())
    free = [one for one in asked if "memory_ids" not in one]
    near, worded = await asyncio.gather(
        within(seconds, partial(by_similarity, asked, state["round"], depth, hidden, services)),
        within(seconds, partial(by_words, free, depth, hidden, services)),
        return_exceptions=True,
    )
    error = "; ".join(filter(None, [leg_error("dense", near), leg_error("lexical", worded)]))
    vectors, similar = ({}, {}) if isinstance(near, BaseException) else near
    lexical = {} if isinstance(worded, BaseException) else worded
    rankings = {
        one["query_id"]: ranking(
            one, similar.get(one["query_id"]), lexical.get(one["query_id"]), error=error
        )
        for one in asked
    }
    await add_missing_cosines(rankings, vectors, services=services)
    return rankings


def ranking(
    query: Query, similar: Visible | None, worded: Visible | None, *, error: str
) -> Ranking:
    """What one query found; nothing where its search failed."""
    none = Visible([], {})
    near, words = similar or none, worded or none
    return Ranking(
        query_id=query["query_id"],
        dense=as_hits(near.hits),
        lexical=as_hits(words.hits),
        cosines={},
        error=error,
        hidden={**near.hidden, **words.hidden},
    )


async def within(seconds: float, leg: Callable[[], Awaitable[T]]) -> T:
    """The search's answer; it is begun here, so that one cancelled before its start leaves nothing.

    Raises:
        TimeoutError: none in time.
    """
    async with asyncio.timeout(seconds):
        return await leg()


async def by_similarity(
    asked: Sequence[Query], round_number: int, depth: int, hidden: Hidden, services: Services
) -> tuple[dict[str, Vector], dict[str, Visible]]:
    """({query id: its vector, bent by its votes}, {query id: the passages nearest to it})."""
    rows = await query_vectors(asked, services=services, round_number=round_number)
    vectors = {one["query_id"]: row for one, row in zip(asked, rows, strict=True)}
    free = [place for place, one in enumerate(asked) if "memory_ids" not in one]
    found: dict[str, Visible] = {}
    if free:
        search = partial(nearest, rows[free], services)
        rankings = await visible(search, k=depth, hidden=hidden)
        found = {asked[n]["query_id"]: one for n, one in zip(free, rankings, strict=True)}
    for one in asked:
        if "memory_ids" in one:
            query_id = one["query_id"]
            found[query_id] = await hits_among(
                one["memory_ids"], vectors[query_id], services=services, hidden=hidden
            )
    return vectors, found


async def nearest(rows: Vectors, services: Services, k: int) -> list[list[PassageHit]]:
    """The `k` passages nearest to each row, best first."""
    return await services.search.dense(rows, k=k)


async def by_words(
    asked: Sequence[Query], depth: int, hidden: Hidden, services: Services
) -> dict[str, Visible]:
    """{query id: the passages that hold its words}."""
    if not asked:
        return {}
    texts = [one["text"] for one in asked]

    async def best(k: int) -> list[list[PassageHit]]:
        return await services.search.lexical(texts, k=k)

    rankings = await visible(best, k=depth, hidden=hidden)
    return {one["query_id"]: found for one, found in zip(asked, rankings, strict=True)}


async def add_missing_cosines(
    rankings: Mapping[str, Ranking], vectors: Mapping[str, Vector], *, services: Services
) -> None:
    """Give each passage that the lexical search alone found its cosine, so that scores compare."""
    missing = {
        query_id: without(found["lexical"], found["dense"])
        for query_id, found in rankings.items()
        if query_id in vectors
    }
    wanted = list(dict.fromkeys(passage for ids in missing.values() for passage in ids))
    if not wanted:
        return
    stored = await services.search.vectors(wanted)
    for query_id, ids in missing.items():
        known = [passage for passage in ids if passage in stored]
        if known:
            cosines = np.stack([stored[passage] for passage in known]) @ vectors[query_id]
            rounded = np.round(cosines.astype(np.float64), 6).tolist()
            rankings[query_id]["cosines"] = dict(zip(known, rounded, strict=True))


def without(hits: Hits, known: Hits) -> list[str]:
    """Passages of the one that are not in the other."""
    there = set(known["passage_ids"])
    return [passage for passage in hits["passage_ids"] if passage not in there]


def leg_error(leg: str, found: object) -> str:
    """What went wrong in a search, or "".

    Raises:
        BaseException: anything that is not an error of ours: a cancellation, or our own mistake.
    """
    if not isinstance(found, BaseException):
        return ""
    if isinstance(found, TimeoutError):
        return f"{leg}: {TOO_LATE}"
    if not isinstance(found, SecondhopError):
        raise found
    return f"{leg}: {found}"
