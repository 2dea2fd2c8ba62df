"""Searches by similarity, in the passages of memories and in their cues."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from secondhop.errors import SecondhopError
from secondhop.models.embedding_cache import embed_both, embed_requests
from secondhop.nodes.effort import embeds_once
from secondhop.nodes.retrieval.cue_search import by_cues, found_by_cues, uses_sessions
from secondhop.nodes.selection.visibility import Hidden, Visible, visible
from secondhop.nodes.services import Services
from secondhop.nodes.state import CueHits, FeedbackRef, Hits, Query, Ranking, RecallState
from secondhop.ranking.arrays import products
from secondhop.ranking.feedback import VoteVectors, refine_query
from secondhop.ranking.votes import VoteName
from secondhop.stores.records import PassageHit, Vector, Vectors

CUED_PASSAGES = 24
"""Passages compared per memory that was found only by its cues."""


@dataclass(frozen=True, slots=True, eq=False)
class Similar:
    """What the searches by similarity found; the keys are query ids."""

    vectors: dict[str, Vector] = field(default_factory=dict[str, Vector])
    """The vectors of the searches, moved by votes."""
    found: dict[str, Visible] = field(default_factory=dict[str, Visible])
    """The passages."""
    cued: dict[str, CueHits] = field(default_factory=dict[str, CueHits])
    """The memories by their cues; a key is missing if there are no cues."""
    beside: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """{passage id: memory id} for memories that only their cues found."""
    failed: list[str] = field(default_factory=list[str])
    """What went wrong in the search for cues."""


async def by_similarity(
    asked: Sequence[Query], state: RecallState, depth: int, hidden: Hidden, services: Services
) -> Similar:
    """Embed all queries in one batch, then search once for passages and once for cues.

    A query with `memory_ids` is compared with these memories only.
    """
    rows, cue_rows = await query_vectors(asked, state, services=services)
    similar = Similar({one["query_id"]: row for one, row in zip(asked, rows, strict=True)})
    free = [place for place, one in enumerate(asked) if "memory_ids" not in one]
    if free:
        query_ids = [asked[place]["query_id"] for place in free]
        # in turn: two concurrent queries of Chroma take ten times as long as two in turn
        found = await nearest_visible(
            rows[free], k=depth, least=least_memories(state), hidden=hidden, services=services
        )
        similar.found.update(zip(query_ids, found, strict=True))
        try:
            if len(cue_rows):
                cued = await by_cues(cue_rows[free], state, hidden, services)
                similar.cued.update(zip(query_ids, cued, strict=False))
            similar.beside.update(await cued_passages(similar, services=services))
        except SecondhopError as error:  # the passages found still count
            similar.failed.append(f"cues: {error}")
    for one in asked:
        if "memory_ids" in one:
            query_id = one["query_id"]
            similar.found[query_id] = await hits_among(
                one["memory_ids"], similar.vectors[query_id], services=services, hidden=hidden
            )
    return similar


async def cued_passages(similar: Similar, *, services: Services) -> dict[str, dict[str, str]]:
    """{query id: {passage id: memory id}} for memories that only their cues found, so that their
    texts are compared with the query, too."""
    alone = {
        query_id: [one for one in found_by_cues(cued) if one not in near]
        for query_id, cued in similar.cued.items()
        for near in [{hit.memory_id for hit in similar.found[query_id].hits}]
    }
    wanted = list(dict.fromkeys(one for ids in alone.values() for one in ids))
    owned = await services.reader.passage_ids(wanted) if wanted else {}
    return {
        query_id: {own: one for one in ids for own in owned.get(one, [])[:CUED_PASSAGES]}
        for query_id, ids in alone.items()
    }


async def query_vectors(
    queries: Sequence[Query], state: RecallState, *, services: Services
) -> tuple[Vectors, Vectors]:
    """The vectors to search passages with and those to search cues with, moved by votes.

    Cues are questions, too, so for them the query is embedded without the model's query prefix.

    Returns:
        (float32 [n_queries, dim], the same or [0, dim] for cues), rows of unit length.
    """
    texts = [query["text"] for query in queries]
    if services.cues is None or not (state.get("annotated") or uses_sessions(state)):
        as_queries = await services.embedder.embed_queries(texts)
        as_texts = as_queries[:0]
    elif embeds_once(state):
        as_queries = as_texts = await embed_requests(services.embedder, texts)
    else:
        as_queries, as_texts = await embed_both(services.embedder, texts)
    both = [np.array(rows, dtype=np.float32) for rows in (as_queries, as_texts)]
    wanted = [
        passage for query in queries for ref in query["feedback"] for passage in ref["passage_ids"]
    ]
    found = await services.search.vectors(wanted) if wanted else {}
    for place, query in enumerate(queries):
        for rows in both if query["feedback"] else ():
            if len(rows):
                rows[place] = bent(
                    rows[place], query["feedback"], found, round_number=state["round"]
                )
    return both[0], both[1]


def bent(
    vector: Vector,
    feedback: Sequence[FeedbackRef],
    found: dict[str, Vector],
    *,
    round_number: int,
) -> Vector:
    """The vector after the votes of each earlier round have moved it."""
    rounds = [
        votes_of_round([ref for ref in feedback if ref["round"] == number], found)
        for number in range(1, round_number)
    ]
    return refine_query(vector, rounds)


def votes_of_round(refs: Iterable[FeedbackRef], found: Mapping[str, Vector]) -> VoteVectors:
    """The vectors of the voted passages, by vote; deleted passages are left out."""
    rows: dict[VoteName, list[Vector]] = {}
    for ref in refs:
        for passage_id in ref["passage_ids"]:
            if passage_id in found:
                rows.setdefault(ref["vote"], []).append(found[passage_id])
    return {vote: np.stack(own) for vote, own in rows.items()}


async def hits_among(
    named: Sequence[str], vector: Vector, *, services: Services, hidden: Hidden
) -> Visible:
    """Every passage of the named memories that may be shown, nearest first."""
    unseen = {one: hidden.reasons[one] for one in named if one in hidden.reasons}
    seen = [one for one in named if one not in unseen]
    (hits,) = await all_compared(seen, vector[np.newaxis], services=services)
    return Visible(hits, unseen)


def least_memories(state: RecallState) -> int:
    """How many memories a search has to find, if one long memory owns its best passages."""
    return min(state["k"], state.get("stored", 0))


async def nearest_visible(
    rows: Vectors, *, k: int, least: int, hidden: Hidden, services: Services
) -> list[Visible]:
    """For each row, the passages that may be shown, nearest first; see `visible`."""
    return await visible(
        lambda depth: services.search.dense(rows, k=depth),
        partial(all_compared, rows=rows, services=services),
        k=k,
        least=least,
        hidden=hidden,
        passages_of=services.reader.passage_ids,
    )


async def all_compared(
    memory_ids: Sequence[str], rows: Vectors, *, services: Services
) -> list[list[PassageHit]]:
    """For each row, all passages of these memories, nearest first; ties go to the smaller id.

    Deleted memories are left out.
    """
    owned = await services.reader.passage_ids(memory_ids)
    owners = {passage: memory_id for memory_id, own in owned.items() for passage in own}
    vectors = await services.search.vectors(list(owners)) if owners else {}
    if not vectors:
        return [[] for _ in rows]
    return [
        sorted(
            (
                PassageHit(one, owners[one], cosine)
                for one, cosine in zip(vectors, row, strict=True)
            ),
            key=lambda hit: (-hit.score, hit.passage_id),
        )
        for row in products(rows, np.stack([*vectors.values()])).tolist()
    ]


def as_hits(found: Sequence[PassageHit]) -> Hits:
    """The hits of a search in the state's form."""
    passage_ids, memory_ids, scores = zip(*found, strict=True) if found else ((), (), ())
    return {
        "passage_ids": [*passage_ids],
        "memory_ids": [*memory_ids],
        "scores": [round(score, 6) for score in scores],
    }


def rows(hits: Hits) -> Iterator[tuple[str, str, float]]:
    """(passage id, memory id, score), best first."""
    return zip(hits["passage_ids"], hits["memory_ids"], hits["scores"], strict=True)


def scores_of(hits: Hits) -> dict[str, float]:
    """{passage id: score in the search}."""
    return dict(zip(hits["passage_ids"], hits["scores"], strict=True))


def cosines_of(ranking: Ranking) -> dict[str, float]:
    """{passage id: cosine}, for all passages whose cosine is known."""
    return ranking["cosines"] | scores_of(ranking["dense"])
