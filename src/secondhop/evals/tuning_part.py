"""One memory and the questions that tune it: asked again and again with other settings."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from secondhop.errors import StoreError
from secondhop.evals.measures import Measures, measure
from secondhop.evals.scenario import Question
from secondhop.evals.tuning_dials import Turned, applied
from secondhop.graph.builder import build_recall_graph
from secondhop.nodes.selection.pool_memory import PoolMemory
from secondhop.nodes.selection.visibility import HiddenMemory
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.running import run_recall
from secondhop.stores.protocols import MemorySearch
from secondhop.stores.records import PassageHit, Vector, Vectors

QUESTION_PARTS = 5
"""Parts into which the questions of a single scenario fall."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class RememberedSearch:
    """A `MemorySearch` over a memory that does not change: what was searched once is known."""

    inner: MemorySearch
    _dense: dict[tuple[bytes, int], list[list[PassageHit]]] = field(
        default_factory=dict[tuple[bytes, int], list[list[PassageHit]]]
    )
    _lexical: dict[tuple[str, int], list[PassageHit]] = field(
        default_factory=dict[tuple[str, int], list[PassageHit]]
    )

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """See `MemorySearch`."""
        key = (queries.tobytes(), k)
        if key not in self._dense:
            self._dense[key] = await self.inner.dense(queries, k=k)
        return [list(hits) for hits in self._dense[key]]

    async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
        """See `MemorySearch`."""
        if (query, k) not in self._lexical:
            self._lexical[query, k] = await self.inner.lexical(query, k=k)
        return list(self._lexical[query, k])

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `MemorySearch`."""
        return await self.inner.vectors(passage_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningPart:
    """Questions that are left out together."""

    services: Services
    """Of the memory, with the settings that tuning starts from."""
    questions: Sequence[Question]


async def asked_with(dials: Turned, part: TuningPart) -> dict[str, Measures]:
    """{question id: measures} of whole recalls; nothing is written, not even a trace."""
    services = replace(
        part.services,
        settings=applied(part.services.settings, dials),
        pools=PoolMemory(),
        hidden=HiddenMemory(),
    )
    graph = build_recall_graph(services)
    found: dict[str, Measures] = {}
    for question in part.questions:
        asked: RecallInput = {
            "question": question.query,
            "k": question.k,
            "asked_at": question.asked_at.isoformat(),
        }
        last = None
        async for event in run_recall(graph, asked, services=services):
            last = event.result
        if last is None:
            raise StoreError("the recall ended without an answer; please report this")
        found[question.id] = measure(question, last.ids())
    return found


def parts_by_question(name: str, part: TuningPart) -> dict[str, TuningPart]:
    """The questions of a single scenario in up to five parts, turn by turn."""
    count = min(QUESTION_PARTS, len(part.questions))
    return {
        f"{name}, questions {n + 1}": replace(part, questions=part.questions[n::count])
        for n in range(count)
    }
