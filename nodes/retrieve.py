"""All queries of a round: one search by similarity, one by words, one by cues."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from secondhop.errors import SecondhopError
from secondhop.nodes.config import RankingSettings
from secondhop.nodes.retrieval.cue_search import found_by_cues
from secondhop.nodes.retrieval.similarity import (
    Similar,
    as_hits,
    by_similarity,
    rows,
)
from secondhop.nodes.selection.learned import learned_of
from secondhop.nodes.selection.visibility import Hidden, Visible, sight_of, visible
from secondhop.nodes.services import Services
from secondhop.nodes.state import (
    TOO_LATE,
    Query,
    Ranking,
    RecallState,
    RecallUpdate,
    is_unplanned,
)
from secondhop.stores.records import Vector
from secondhop.wording import counted

T = TypeVar("T")

PASSAGES_A_MEMORY = 3
"""Passages fetched a wanted memory: long memories fill a ranking with several of theirs."""

UNPLANNED = 120
"""Memories that the question brings where nothing else is asked: as many as compete for slots."""

FILLING = 200
"""The same where passages fill a budget of tokens: those are judged one by one."""


NOTHING = Visible([], {})


def depth_of(state: RecallState, ranking: RankingSettings) -> int:
    """Memories of each ranking that count."""
    planned = state["k"] * ranking.depth_factor
    if not is_unplanned(state):
        return planned
    return max(planned, UNPLANNED if state.get("tokens") is None else FILLING)


async def retrieve(state: RecallState, *, services: Services) -> RecallUpdate:
    """Rankings of every query of the round; if a search fails, the trace says so."""
    asked = [one for one in state["queries"].values() if one["round"] == state["round"]]
    rankings = await ranked(asked, state, services=services)
    update: RecallUpdate = {"rankings": rankings, "note": noted(rankings.values())}
    own = rankings["q0"].get("cues", {}) if "q0" in rankings else {}
    if "proved" in own:
        update |= learned_of(own["proved"])
    errors = dict.fromkeys(found["error"] for found in rankings.values() if found["error"])
    if errors:
        reason = f"round {state['round']} lost a search: {'; '.join(errors)}"
        update["degraded"] = {f"retrieve {state['round']}": reason}
    return update


def noted(rankings: Collection[Ranking]) -> str:
    """ "1 query: 40 passages by similarity, 12 by words, 30 memories by cues"."""
    near = sum(len(one["dense"]["passage_ids"]) for one in rankings)
    worded = sum(len(one["lexical"]["passage_ids"]) for one in rankings)
    cued = sum(len(one["cues"]["memory_ids"]) for one in rankings if "cues" in one)
    told = f"{counted(len(rankings), 'query')}: {near} passages by similarity, {worded} by words"
    return f"{told}, {counted(cued, 'memory')} by cues" if cued else told


async def ranked(
    asked: Sequence[Query], state: RecallState, *, services: Services
) -> dict[str, Ranking]:
    """{query id: what the searches found}; they run side by side, each until the deadline."""
    hidden = await services.hidden.of(sight_of(state), services)
    memories = depth_of(state, services.settings.ranking)
    depth = memories * PASSAGES_A_MEMORY
    seconds = max(0.0, state["deadline_at"] - time.time())
    free = [one for one in asked if "memory_ids" not in one]
    near, worded = await asyncio.gather(
        within(seconds, partial(by_similarity, asked, state, depth, hidden, services)),
        within(seconds, partial(by_words, free, depth, hidden, services)),
        return_exceptions=True,
    )
    similar = Similar() if isinstance(near, BaseException) else near
    errors = [leg_error("dense", near), leg_error("lexical", worded), *similar.failed]
    error = "; ".join(filter(None, errors))
    lexical = {} if isinstance(worded, BaseException) else worded
    rankings = {
        query_id: ranking(query_id, similar, lexical.get(query_id, NOTHING), error=error)
        for query_id in (one["query_id"] for one in asked)
    }
    if state.get("tokens") is not None:
        memories = depth  # every passage that was found is judged
    await add_missing_cosines(rankings, similar.vectors, memories=memories, services=services)
    return rankings


def ranking(query_id: str, similar: Similar, worded: Visible, *, error: str) -> Ranking:
    """What one query found; nothing where its search failed."""
    near = similar.found.get(query_id, NOTHING)
    found = Ranking(
        query_id=query_id,
        dense=as_hits([*near.hits, *similar.beside.get(query_id, ())]),
        lexical=as_hits(worded.hits),
        cosines={},
        error=error,
        hidden={**near.hidden, **worded.hidden},
    )
    if query_id in similar.cued:
        found["cues"] = similar.cued[query_id]
    return found


async def within(seconds: float, leg: Callable[[], Awaitable[T]]) -> T:
    """The search's answer; it is begun here, so that one cancelled before its start leaves nothing.

    Raises:
        TimeoutError: none in time.
    """
    async with asyncio.timeout(seconds):
        return await leg()


async def by_words(
    asked: Sequence[Query], depth: int, hidden: Hidden, services: Services
) -> dict[str, Visible]:
    """{query id: the passages that hold its words}."""
    if not asked:
        return {}
    texts = [one["text"] for one in asked]

    search = partial(services.search.lexical, texts)
    rankings = await visible(lambda k: search(k=k), k=depth, hidden=hidden)
    return {one["query_id"]: found for one, found in zip(asked, rankings, strict=True)}


async def add_missing_cosines(
    rankings: Mapping[str, Ranking],
    vectors: Mapping[str, Vector],
    *,
    memories: int,
    services: Services,
) -> None:
    """Give each passage that the lexical search alone found its cosine, so that scores compare.

    Args:
        memories: those of each ranking that count.
    """
    missing = {
        query_id: without_cosine(found, memories=memories)
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


def without_cosine(found: Ranking, *, memories: int) -> list[str]:
    """Passages that the lexical search alone found, of memories that count in it or by cues."""
    cued = found_by_cues(found["cues"]) if "cues" in found else []
    kept = {*[*dict.fromkeys(found["lexical"]["memory_ids"])][:memories], *cued}
    there = set(found["dense"]["passage_ids"])
    return [
        passage_id
        for passage_id, memory_id, _ in rows(found["lexical"])
        if memory_id in kept and passage_id not in there
    ]


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
