"""Runs all queries of a round: one search by similarity, one by words, one by cues."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from secondhop.errors import SecondhopError
from secondhop.nodes.budget import seconds_left
from secondhop.nodes.config import RankingSettings
from secondhop.nodes.effort import is_unplanned
from secondhop.nodes.retrieval.cue_search import found_by_cues
from secondhop.nodes.retrieval.similarity import (
    Similar,
    as_hits,
    by_similarity,
    least_memories,
)
from secondhop.nodes.selection.learned import learned_of
from secondhop.nodes.selection.visibility import Hidden, Visible, visible
from secondhop.nodes.services import Services
from secondhop.nodes.state import TOO_LATE, Query, Ranking, RecallState, RecallUpdate
from secondhop.stores.records import PassageHit, Vector
from secondhop.wording import counted

T = TypeVar("T")

PASSAGES_A_MEMORY = 3
"""Passages fetched per wanted memory, because a long memory takes several places in a ranking."""

UNPLANNED = 80
"""Least number of memories that the question brings without a plan."""

FILLING = 200
"""The same if passages fill a budget of tokens; these are scored one by one."""


NOTHING = Visible([], {})


def depth_of(state: RecallState, ranking: RankingSettings) -> int:
    """How many memories of each ranking count."""
    planned = state["k"] * ranking.depth_factor
    if not is_unplanned(state):
        return planned
    return max(planned, UNPLANNED if state.get("tokens") is None else FILLING)


async def retrieve(state: RecallState, *, services: Services) -> RecallUpdate:
    """Rankings of every query of the round; if a search fails, `degraded` says so."""
    asked = [one for one in state["queries"].values() if one["round"] == state["round"]]
    rankings = await ranked(asked, state, services=services)
    near = sum(len(one["dense"]["passage_ids"]) for one in rankings.values())
    worded = sum(len(one["lexical"]["passage_ids"]) for one in rankings.values())
    cued = sum(len(one["cues"]["memory_ids"]) for one in rankings.values() if "cues" in one)
    note = f"{counted(len(rankings), 'query')}: {near} passages by similarity, {worded} by words"
    note += f", {counted(cued, 'memory')} by cues" if cued else ""
    update: RecallUpdate = {"rankings": rankings, "note": note}
    own = rankings["q0"].get("cues", {}) if "q0" in rankings else {}
    if "proved" in own:
        update |= learned_of(own["proved"])
    errors = dict.fromkeys(found["error"] for found in rankings.values() if found["error"])
    if errors:
        reason = f"round {state['round']} lost a search: {'; '.join(errors)}"
        update["degraded"] = {f"retrieve {state['round']}": reason}
    return update


async def ranked(
    asked: Sequence[Query], state: RecallState, *, services: Services
) -> dict[str, Ranking]:
    """{query id: what the searches found}. The searches run in parallel, until the deadline."""
    hidden = await services.hidden.of(state, services)
    memories = depth_of(state, services.settings.ranking)
    depth = memories * PASSAGES_A_MEMORY
    free = [one for one in asked if "memory_ids" not in one]
    near, worded = await asyncio.gather(
        in_time(state, partial(by_similarity, asked, state, depth, hidden, services)),
        in_time(state, partial(by_words, free, state, depth, hidden, services)),
        return_exceptions=True,
    )
    similar = Similar() if isinstance(near, BaseException) else near
    errors = [search_error("dense", near), search_error("lexical", worded), *similar.failed]
    lexical = {} if isinstance(worded, BaseException) else worded
    if state.get("tokens") is not None:
        memories = depth  # every passage that was found is judged
    unknown = {
        query_id: unknown_passages(query_id, similar, lexical, memories=memories)
        for query_id in similar.vectors
    }
    wanted = dict.fromkeys(passage for ids in unknown.values() for passage in ids)
    stored: Mapping[str, Vector] | BaseException = {}
    if wanted:
        fetch = in_time(state, partial(services.search.vectors, [*wanted]))
        (stored,) = await asyncio.gather(fetch, return_exceptions=True)
    error = "; ".join(filter(None, [*errors, search_error("vectors", stored)]))
    known = {} if isinstance(stored, BaseException) else stored
    return {
        query_id: ranking(
            query_id,
            similar,
            lexical.get(query_id, NOTHING),
            cosines_to(similar.vectors[query_id], unknown[query_id], known)
            if query_id in unknown
            else {},
            error=error,
        )
        for query_id in (one["query_id"] for one in asked)
    }


def ranking(
    query_id: str, similar: Similar, worded: Visible, cosines: Mapping[str, float], *, error: str
) -> Ranking:
    """What one query found; empty lists if its search failed. `cosines`: {passage id: cosine}, for
    passages that the search by similarity did not find."""
    near = similar.found.get(query_id, NOTHING)
    owners = similar.beside.get(query_id, {})
    beside = [PassageHit(one, owners[one], cosines[one]) for one in owners if one in cosines]
    beside.sort(key=lambda hit: (-hit.score, hit.passage_id))
    found = Ranking(
        query_id=query_id,
        dense=as_hits([*near.hits, *beside]),
        lexical=as_hits(worded.hits),
        cosines={one: cosine for one, cosine in cosines.items() if one not in owners},
        error=error,
        hidden={**near.hidden, **worded.hidden},
    )
    if query_id in similar.cued:
        found["cues"] = similar.cued[query_id]
    return found


def unknown_passages(
    query_id: str, similar: Similar, lexical: Mapping[str, Visible], *, memories: int
) -> list[str]:
    """Ids of passages whose cosine to the query is still missing, so that scores can be compared.

    They are the passages of memories found only by cues, and passages that only the lexical search
    found, if their memory is among its first `memories`, or those found by cues.
    """
    beside = similar.beside.get(query_id, {})
    worded = lexical.get(query_id, NOTHING).hits
    cued = found_by_cues(similar.cued[query_id]) if query_id in similar.cued else []
    kept = {*[*dict.fromkeys(hit.memory_id for hit in worded)][:memories], *cued}
    there = {hit.passage_id for hit in similar.found.get(query_id, NOTHING).hits}
    alone = [hit.passage_id for hit in worded if hit.memory_id in kept]
    return [one for one in dict.fromkeys([*beside, *alone]) if one not in there]


def cosines_to(
    vector: Vector, passage_ids: Sequence[str], stored: Mapping[str, Vector]
) -> dict[str, float]:
    """{passage id: its cosine to the vector}, for passages with a stored vector."""
    known = [one for one in passage_ids if one in stored]
    if not known:
        return {}
    rows = np.stack([stored[one] for one in known])
    cosines = np.asarray(np.vecdot(rows, vector), dtype=np.float64)
    return dict(zip(known, np.round(cosines, 6).tolist(), strict=True))


async def in_time(state: RecallState, search: Callable[[], Awaitable[T]]) -> T:
    """The search's result. It starts here, so that an early cancellation leaves no coroutine.

    Raises:
        TimeoutError: no result before the deadline.
    """
    async with asyncio.timeout(seconds_left(state)):
        return await search()


async def by_words(
    asked: Sequence[Query], state: RecallState, depth: int, hidden: Hidden, services: Services
) -> dict[str, Visible]:
    """{query id: the passages that contain its words, best first}."""
    if not asked:
        return {}
    search = partial(services.search.lexical, [one["text"] for one in asked])
    rankings = await visible(
        lambda k: search(k=k),
        lambda memory_ids: search(k=sys.maxsize, memory_ids=memory_ids),
        k=depth,
        least=least_memories(state),
        hidden=hidden,
        passages_of=services.reader.passage_ids,
    )
    return {one["query_id"]: found for one, found in zip(asked, rankings, strict=True)}


def search_error(retriever: str, found: object) -> str:
    """What went wrong in a search; "" if nothing did.

    Raises:
        BaseException: `found` itself, if it is neither a timeout nor a `SecondhopError`.
    """
    if not isinstance(found, BaseException):
        return ""
    if isinstance(found, TimeoutError):
        return f"{retriever}: {TOO_LATE}"
    if not isinstance(found, SecondhopError):
        raise found
    return f"{retriever}: {found}"
