"""Finds where a long memory says what it was stored for."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from secondhop.errors import ModelError
from secondhop.models.embedding_cache import embed_requests
from secondhop.nodes.budget import time_beside
from secondhop.nodes.reasons import cues_decide
from secondhop.nodes.selection.pool import EVIDENCE_A_CANDIDATE
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate, RecallState
from secondhop.ranking.arrays import products

NearCues: TypeAlias = Mapping[str, Mapping[str, float]]
"""{memory id: {passage id: calibrated relevance to the memory's cue}}, the nearest first."""

BEST = 2
"""Passages of a memory that are shown first."""


async def near_cues(
    candidates: Iterable[Candidate], state: RecallState, *, services: Services
) -> NearCues:
    """The passages near the cue, for memories of several passages that their cues brought.

    A question that does not name a memory hardly tells where to look in it; cue and question
    together do. If the embedding model fails or is late, the result is empty, and the passages
    nearest to the question have to do.
    """
    cues = {one["memory_id"]: one.get("cue", "") for one in candidates if cues_decide(one)}
    owned = await services.reader.passage_ids(list(cues)) if cues else {}
    several = {memory_id: ids for memory_id, ids in owned.items() if len(ids) > 1}
    if not several:
        return {}
    try:
        async with asyncio.timeout(time_beside(state)):
            # in memory only: a cue that is forgotten meanwhile must not come back to the disk
            texts = [state["question"], *(cues[one] for one in several)]
            asked, *cue_rows = await embed_requests(services.embedder, texts)
    except (ModelError, TimeoutError):
        return {}
    vectors = await services.search.vectors([one for ids in several.values() for one in ids])
    relevance = services.scale.calibration_for(as_texts=True)
    found: dict[str, dict[str, float]] = {}
    for row, (memory_id, ids) in zip(cue_rows, several.items(), strict=True):
        known = [one for one in ids if one in vectors]
        if not known:  # forgotten meanwhile
            continue
        cosines = products(np.stack([row, asked]), np.stack([vectors[one] for one in known]))
        order = np.argsort(-cosines.sum(axis=0), kind="stable")[:BEST].tolist()
        near = relevance(cosines[0])
        found[memory_id] = {known[place]: round(float(near[place]), 6) for place in order}
    return found


def first_near_cues(passage_ids: Sequence[str], near: Mapping[str, float] | None) -> list[str]:
    """The passages near the cue, then the others; as many as a candidate's evidence has."""
    return list(dict.fromkeys([*(near or ()), *passage_ids]))[:EVIDENCE_A_CANDIDATE]
