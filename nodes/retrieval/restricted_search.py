"""Searches among some memories: those that a query names, or that a filter admits."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np

from secondhop.nodes.selection.visibility import Hidden, Visible, visible
from secondhop.nodes.services import Services
from secondhop.stores.records import PassageHit, Vector, Vectors

COMPARED: Final = 1_000
"""Memories that a filter may admit so that each of them is looked at; of more, enough are found by
searching deeper."""


async def hits_among(
    named: Sequence[str], vector: Vector, *, services: Services, hidden: Hidden
) -> Visible:
    """Every passage of the named memories, nearest first.

    What is no longer stored is left out.
    """
    unseen = {one: hidden.reasons[one] for one in named if one in hidden.reasons}
    owners = await passages_of([one for one in named if one not in unseen], services=services)
    if not owners:
        return Visible([], unseen)
    vectors = await services.search.vectors(list(owners))
    cosines = ((passage_id, float(row @ vector)) for passage_id, row in vectors.items())
    return Visible(best_of(cosines, owners), unseen)


async def nearest_visible(
    rows: Vectors, *, k: int, hidden: Hidden, services: Services
) -> list[Visible]:
    """For each query row, at most `k` passages that may be shown, nearest first.

    Few admitted memories are compared one by one: they may lie far down in any ranking.
    """
    admitted = hidden.admitted
    if admitted is None or len(admitted) > COMPARED:
        search = partial(services.search.dense, rows)
        return await visible(lambda depth: search(k=depth), k=k, hidden=hidden)
    owners = await passages_of(sorted(admitted), services=services)
    vectors = await services.search.vectors(list(owners))
    if not vectors:
        return [Visible([], {}) for _ in rows]
    cosines = rows @ np.stack([*vectors.values()]).T
    return [
        Visible(best_of(zip(vectors, row.tolist(), strict=True), owners)[:k], {}) for row in cosines
    ]


def best_of(cosines: Iterable[tuple[str, float]], owners: Mapping[str, str]) -> list[PassageHit]:
    """Passages with their memories, the nearest first."""
    hits = [PassageHit(passage, owners[passage], cosine) for passage, cosine in cosines]
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage_id))


async def passages_of(memory_ids: Sequence[str], *, services: Services) -> dict[str, str]:
    """{passage id: its memory} of all passages of these memories."""
    found = await services.reader.passage_ids(memory_ids)
    return {passage: memory_id for memory_id, own in found.items() for passage in own}
