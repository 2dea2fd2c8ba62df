"""A query that looks among memories it names, instead of searching for them."""

from secondhop.nodes.retrieval.refine import query_vector
from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.state import RetrieveTask
from secondhop.stores.records import PassageHit, passage_id_of


async def hits_among(
    task: RetrieveTask, *, services: Services, hidden: Hidden
) -> tuple[list[PassageHit], dict[str, str]]:
    """(every passage of the query's memories, nearest first, why others of them may not be shown).

    What is no longer stored is left out.
    """
    named = task["query"].get("memory_ids", [])
    unseen = {one: hidden.reasons[one] for one in named if one in hidden.reasons}
    owners = await passages_of([one for one in named if one not in unseen], services=services)
    if not owners:
        return [], unseen
    vector = await query_vector(task["query"], services=services, round_number=task["round"])
    vectors = await services.search.vectors(list(owners))
    hits = [
        PassageHit(passage_id, owners[passage_id], float(row @ vector))
        for passage_id, row in vectors.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage_id)), unseen


async def passages_of(memory_ids: list[str], *, services: Services) -> dict[str, str]:
    """{passage id: its memory} of all passages of these memories."""
    cards = await services.reader.cards(memory_ids)
    owners: dict[str, str] = {}
    for memory_id, card in cards.items():
        memory = await services.reader.memory(memory_id)
        if memory is not None:
            places = range(card.passage_count)
            owners |= {passage_id_of(memory, place): memory_id for place in places}
    return owners
