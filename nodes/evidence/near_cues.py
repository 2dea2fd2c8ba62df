"""Finds where a long memory says what it was stored for."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, get_args

import numpy as np

from secondhop.errors import ModelError
from secondhop.models.embedding_cache import embed_requests
from secondhop.nodes.budget import time_beside
from secondhop.nodes.reasons import cues_decide
from secondhop.nodes.selection.pool import EVIDENCE_A_CANDIDATE
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate, RecallState
from secondhop.ranking.arrays import products
from secondhop.stores.cues import Breadth, Cue
from secondhop.stores.records import Vector

NearCues: TypeAlias = Mapping[str, Mapping[str, float]]
"""{memory id: {passage id: calibrated relevance to the memory's cue}}, the nearest first."""

BEST = 2
"""Passages of a memory that are shown first."""


async def near_cues(
    candidates: Iterable[Candidate],
    state: RecallState,
    owned: Mapping[str, Sequence[str]],
    *,
    services: Services,
) -> NearCues:
    """The passages near the cue, for memories of several passages (`owned`) that their cues
    brought.

    A question that does not name a memory hardly tells where to look in it; cue and question
    together do. If the embedding model fails or is late, the result is empty, and the passages
    nearest to the question have to do.
    """
    cues = {one["memory_id"]: one.get("cue", "") for one in candidates if cues_decide(one)}
    several = {one: owned[one] for one in cues if len(owned.get(one, ())) > 1}
    if not several:
        return {}
    try:
        async with asyncio.timeout(time_beside(state)):
            (asked,) = await embed_requests(services.embedder, [state["question"]])
    except (ModelError, TimeoutError):
        return {}
    cue_rows = await vectors_of({one: cues[one] for one in several}, services)
    vectors = await services.search.vectors([one for ids in several.values() for one in ids])
    relevance = services.scale.calibration_for(as_texts=True)
    found: dict[str, dict[str, float]] = {}
    for memory_id, row in cue_rows.items():
        known = [one for one in several[memory_id] if one in vectors]
        if not known:  # forgotten meanwhile
            continue
        cosines = products(np.stack([row, asked]), np.stack([vectors[one] for one in known]))
        order = np.argsort(-cosines.sum(axis=0), kind="stable")[:BEST].tolist()
        near = relevance(cosines[0])
        found[memory_id] = {known[place]: round(float(near[place]), 6) for place in order}
    return found


async def vectors_of(cues: Mapping[str, str], services: Services) -> dict[str, Vector]:
    """{memory id: vector of its cue}; cues that are gone are left out. `cues`: {memory id: the text
    of a specific or a broad cue}."""
    owners = {
        Cue(memory_id=memory_id, text=text, breadth=breadth).cue_id: memory_id
        for memory_id, text in cues.items()
        for breadth in get_args(Breadth)
    }
    found = await services.cues.vectors(list(owners)) if services.cues is not None else {}
    return {owners[one]: vector for one, vector in found.items()}


def first_near_cues(passage_ids: Sequence[str], near: Mapping[str, float] | None) -> list[str]:
    """The passages near the cue, then the others; as many as a candidate's evidence has."""
    return list(dict.fromkeys([*(near or ()), *passage_ids]))[:EVIDENCE_A_CANDIDATE]
