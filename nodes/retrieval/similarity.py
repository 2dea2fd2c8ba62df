"""What is near to queries: by the text of memories, and by the cues they were stored with."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from secondhop.errors import SecondhopError
from secondhop.nodes.retrieval.cue_search import by_cues, has_cues
from secondhop.nodes.retrieval.query_vectors import query_vectors
from secondhop.nodes.retrieval.restricted_search import hits_among, nearest_visible
from secondhop.nodes.selection.visibility import Hidden, Visible
from secondhop.nodes.services import Services
from secondhop.nodes.state import CueHits, Query, RecallState
from secondhop.stores.records import PassageHit, Vector

CUED = 40
"""Memories a query whose passages are looked at because their cues are near."""

CUED_PASSAGES = 24
"""Passages of one such memory that are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Similar:
    """What is near to queries; everything by query id."""

    vectors: dict[str, Vector] = field(default_factory=dict[str, Vector])
    """As they were searched with, bent by votes."""
    found: dict[str, Visible] = field(default_factory=dict[str, Visible])
    cued: dict[str, CueHits] = field(default_factory=dict[str, CueHits])
    """Missing where nothing has cues."""
    beside: dict[str, list[PassageHit]] = field(default_factory=dict[str, list[PassageHit]])
    """Passages of memories that cues alone have found, best first."""
    failed: list[str] = field(default_factory=list[str])
    """What went wrong with cues."""


async def by_similarity(
    asked: Sequence[Query], state: RecallState, depth: int, hidden: Hidden, services: Services
) -> Similar:
    """One batch of embeddings, one search for passages and one for cues.

    A query that names its memories looks at those alone.
    """
    rows, cue_rows = await query_vectors(
        asked, services=services, round_number=state["round"], cued=has_cues(state, services)
    )
    similar = Similar({one["query_id"]: row for one, row in zip(asked, rows, strict=True)})
    free = [place for place, one in enumerate(asked) if "memory_ids" not in one]
    if free:
        query_ids = [asked[place]["query_id"] for place in free]
        # one after the other: two queries of Chroma at once take ten times as long as two in turn
        found = await nearest_visible(rows[free], k=depth, hidden=hidden, services=services)
        similar.found.update(zip(query_ids, found, strict=True))
        try:
            if len(cue_rows):
                cued = await by_cues(cue_rows[free], hidden, services)
                similar.cued.update(zip(query_ids, cued, strict=False))
            await add_cued_passages(similar, services=services)
        except SecondhopError as error:  # what the text says still counts
            similar.failed.append(f"cues: {error}")
    for one in asked:
        if "memory_ids" in one:
            query_id = one["query_id"]
            similar.found[query_id] = await hits_among(
                one["memory_ids"], similar.vectors[query_id], services=services, hidden=hidden
            )
    return similar


async def add_cued_passages(similar: Similar, *, services: Services) -> None:
    """Look at the passages of memories that cues alone have found: what they say of the query."""
    alone = {
        query_id: [one for one in cued["memory_ids"][:CUED] if one not in near]
        for query_id, cued in similar.cued.items()
        for near in [{hit.memory_id for hit in similar.found[query_id].hits}]
    }
    wanted = list(dict.fromkeys(one for ids in alone.values() for one in ids))
    if not wanted:
        return
    owned = await services.reader.passage_ids(wanted)
    passages = {one: own[:CUED_PASSAGES] for one, own in owned.items()}
    stored = await services.search.vectors([one for own in passages.values() for one in own])
    for query_id, ids in alone.items():
        vector = similar.vectors[query_id]
        hits = [
            PassageHit(passage, memory_id, float(stored[passage] @ vector))
            for memory_id in ids
            for passage in passages.get(memory_id, ())
            if passage in stored
        ]
        similar.beside[query_id] = sorted(hits, key=lambda hit: (-hit.score, hit.passage_id))
