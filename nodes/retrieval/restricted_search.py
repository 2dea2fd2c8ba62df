"""A query that looks among memories it names, instead of searching for them."""

from collections.abc import Sequence

from secondhop.nodes.selection.visibility import Hidden, Visible
from secondhop.nodes.services import Services
from secondhop.stores.records import PassageHit, Vector


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
    hits = [
        PassageHit(passage_id, owners[passage_id], float(row @ vector))
        for passage_id, row in vectors.items()
    ]
    return Visible(sorted(hits, key=lambda hit: (-hit.score, hit.passage_id)), unseen)


async def passages_of(memory_ids: Sequence[str], *, services: Services) -> dict[str, str]:
    """{passage id: its memory} of all passages of these memories."""
    found = await services.reader.passage_ids(memory_ids)
    return {passage: memory_id for memory_id, own in found.items() for passage in own}
