"""Facts that a question implies: a query of the plan means them without naming them.

"What can I cook tonight?" does not name (me, diet, vegetarian), and a fact of a few words is near
to no question that needs it. A query of the plan may be; but playbooks are chosen by likeness, and
a query is near to some fact or other by chance. So the query that is nearest to a fact is compared
with it once more, after the question: "What can I cook tonight? one of the guests is vegan".
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.retrieval.similarity import passages_of
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, FACT_MEANT, Query, RecallState
from secondhop.ranking.arrays import Floats
from secondhop.stores.keeping import FactName
from secondhop.stores.records import Vectors

ORIGIN: Final = FACT_MEANT

COMPARED: Final = 64
"""Facts that are compared with the plan; of more, the newest."""

READ_TOGETHER: Final = 12
"""Facts, the nearest to the plan, that are compared with question and query together."""

_PLANNED: Final = frozenset({"decompose", "expand"})


class ImpliedFact(NamedTuple):
    """A fact, and the facet of the query that means it."""

    name: FactName
    facet_id: str
    nearness: float
    """To question and query together, 0..1."""


class Nearest(NamedTuple):
    """A row of the facts' vectors, and the query of the plan that is nearest to it."""

    row: int
    query: Query


async def implied_facts(
    state: RecallState, names: Sequence[FactName], planned: Iterable[Query], *, services: Services
) -> list[ImpliedFact]:
    """The nearest first; none for a look-up, which asks for one thing and little beside it.

    A fact must be as near to question and query together as a memory must be to come back.

    Args:
        names: facts that may be shown, the oldest first.
        planned: the queries that this round asks.

    Raises:
        StoreError: the facts cannot be read.
        ModelError: the texts cannot be embedded.
    """
    asking = [q for q in planned if q["origin"] in _PLANNED and q["facet_id"] != DIRECT]
    if state["kind"] in LOOKUPS or not asking:
        return []
    known = {one.memory_id: one for one in names[-COMPARED:]}
    owners = await passages_of(list(known), services=services)
    found = await services.search.vectors(list(owners))
    if not found:
        return []
    held = np.stack([*found.values()])
    meant = await nearest_queries(held, asking, services=services)
    nearness = await with_the_question(held, meant, state["question"], services=services)
    least = services.settings.ranking.min_score
    order: list[int] = np.argsort(-nearness, kind="stable").tolist()
    passages = list(found)
    chosen: dict[str, ImpliedFact] = {}
    for place in (place for place in order if nearness[place] >= least):
        one = meant[place]
        name = known[owners[passages[one.row]]]
        implied = ImpliedFact(name, one.query["facet_id"], round(float(nearness[place]), 4))
        chosen.setdefault(name.memory_id, implied)
    return list(chosen.values())


async def nearest_queries(
    held: Vectors, asking: Sequence[Query], *, services: Services
) -> list[Nearest]:
    """For each of the rows that are nearest to the plan, the query that is nearest to it.

    Raises:
        ModelError: the queries cannot be embedded.
    """
    queries = await services.embedder.embed_queries([query["text"] for query in asking])
    cosines = np.asarray(held @ queries.T, dtype=np.float64)
    rows: list[int] = np.argsort(-cosines.max(axis=1), kind="stable")[:READ_TOGETHER].tolist()
    best: list[int] = cosines.argmax(axis=1).tolist()
    return [Nearest(row, asking[best[row]]) for row in rows]


async def with_the_question(
    held: Vectors, meant: Sequence[Nearest], question: str, *, services: Services
) -> Floats:
    """[len(meant)], 0..1: how near each is to the question and its query together.

    Raises:
        ModelError: the texts cannot be embedded.
    """
    texts = [f"{question} {one.query['text']}" for one in meant]
    different = list(dict.fromkeys(texts))
    embedded = await services.embedder.embed_queries(different)
    vectors = dict(zip(different, embedded, strict=True))
    cosines = [float(held[one.row] @ vectors[text]) for one, text in zip(meant, texts, strict=True)]
    return services.scale.calibration(np.array(cosines, dtype=np.float64))
