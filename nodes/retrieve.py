"""One query, searched by similarity and by words."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from secondhop.errors import SecondhopError
from secondhop.nodes.config import RankingSettings
from secondhop.nodes.retrieval.hits import as_hits, count_of, no_hits, of_passages
from secondhop.nodes.retrieval.refine import query_vector
from secondhop.nodes.retrieval.restricted_search import hits_among
from secondhop.nodes.selection.visibility import Hidden, visible
from secondhop.nodes.services import Services
from secondhop.nodes.state import (
    TOO_LATE,
    Hits,
    Ranking,
    RecallState,
    RecallUpdate,
    RetrieveTask,
    is_unplanned,
)
from secondhop.stores.records import PassageHit, Vector

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


async def retrieve(task: RetrieveTask, *, services: Services) -> RecallUpdate:
    """Dense and lexical rankings of one query; if a search fails, the trace says so."""
    started = time.perf_counter()
    query_id = task["query"]["query_id"]
    ranking = await rank(task, services=services)
    ranking["ms"] = round((time.perf_counter() - started) * 1000, 2)
    update: RecallUpdate = {
        "rankings": {query_id: ranking},
        "note": f"{count_of(ranking['dense'])} dense, {count_of(ranking['lexical'])} lexical",
    }
    if ranking["error"]:
        reason = f"query {task['query']['text']!r} lost a search: {ranking['error']}"
        update["degraded"] = {f"retrieve {query_id}": reason}
    return update


async def rank(task: RetrieveTask, *, services: Services) -> Ranking:
    """Both searches side by side; passages found by words alone get their cosine as well.

    A query that names its memories looks at those alone.
    """
    depth = task["memories"] * PASSAGES_A_MEMORY
    seconds = max(0.0, task["deadline_at"] - time.time())
    hidden = await services.hidden.of(task.get("sight"), services)
    if "memory_ids" in task["query"]:
        return await rank_among(task, seconds=seconds, services=services, hidden=hidden)
    dense, lexical = await asyncio.gather(
        within(seconds, partial(dense_leg, task, services=services, depth=depth, hidden=hidden)),
        within(seconds, partial(lexical_leg, task, services=services, depth=depth, hidden=hidden)),
        return_exceptions=True,
    )
    errors = [leg_error("dense", dense), leg_error("lexical", lexical)]
    vector, near, unseen = (None, no_hits(), {}) if isinstance(dense, BaseException) else dense
    worded, unheard = (no_hits(), {}) if isinstance(lexical, BaseException) else lexical
    if task["query"]["origin"] == "evidence":
        near = of_passages(near, set(worded["passage_ids"]))  # a bare name means little
    return Ranking(
        query_id=task["query"]["query_id"],
        dense=near,
        lexical=worded,
        cosines=await missing_cosines(task, vector, near, worded, services=services),
        ms=0.0,
        error="; ".join(filter(None, errors)),
        hidden=unseen | unheard,
    )


async def rank_among(
    task: RetrieveTask, *, seconds: float, services: Services, hidden: Hidden
) -> Ranking:
    """The named memories by the cosine of their passages."""
    (found,) = await asyncio.gather(
        within(seconds, partial(hits_among, task, services=services, hidden=hidden)),
        return_exceptions=True,
    )
    near, unseen = ([], {}) if isinstance(found, BaseException) else found
    return Ranking(
        query_id=task["query"]["query_id"],
        dense=as_hits(near),
        lexical=no_hits(),
        cosines={},
        ms=0.0,
        error=leg_error("dense", found),
        hidden=unseen,
    )


async def within(seconds: float, leg: Callable[[], Awaitable[T]]) -> T:
    """The search's answer; it is begun here, so that one cancelled before its start leaves nothing.

    Raises:
        TimeoutError: none in time.
    """
    async with asyncio.timeout(seconds):
        return await leg()


async def dense_leg(
    task: RetrieveTask, *, services: Services, depth: int, hidden: Hidden
) -> tuple[Vector, Hits, dict[str, str]]:
    """The query's vector, bent by its votes, the passages nearest to it, and what is hidden."""
    vector = await query_vector(task["query"], services=services, round_number=task["round"])

    async def nearest(k: int) -> list[PassageHit]:
        (hits,) = await services.search.dense(vector[None, :], k=k)
        return hits

    hits, unseen = await visible(nearest, k=depth, hidden=hidden)
    return vector, as_hits(hits), unseen


async def lexical_leg(
    task: RetrieveTask, *, services: Services, depth: int, hidden: Hidden
) -> tuple[Hits, dict[str, str]]:
    """The passages that hold the query's words, and what is hidden."""
    search = partial(services.search.lexical, task["query"]["text"])
    hits, unseen = await visible(lambda k: search(k=k), k=depth, hidden=hidden)
    return as_hits(hits), unseen


async def missing_cosines(
    task: RetrieveTask,
    vector: Vector | None,
    dense: Hits,
    lexical: Hits,
    *,
    services: Services,
) -> dict[str, float]:
    """Cosines of the passages that the lexical search alone found, so that scores compare."""
    known = set(dense["passage_ids"])
    missing = [passage_id for passage_id in lexical["passage_ids"] if passage_id not in known]
    if vector is None or not missing:
        return {}
    vectors = await services.search.vectors(missing)
    near = [PassageHit(passage, "", float(row @ vector)) for passage, row in vectors.items()]
    return {hit.passage_id: round(hit.score, 6) for hit in near}


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
