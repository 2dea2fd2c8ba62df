"""The demo: one labelled question, answered by plain search and by secondhop."""

from dataclasses import dataclass

from secondhop.evals.baselines import plain_rankings
from secondhop.evals.scenario import Question, Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.interfaces.opening import cached, opened
from secondhop.interfaces.options import Common
from secondhop.interfaces.terminal import notices


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two answers to one question, and what its labels say about them."""

    question: Question
    titles: dict[str, str]
    """{memory id: title} of the whole scenario."""
    plain: list[str]
    """Memory ids of dense search, best first."""
    result: RecallResult
    trace: RecallTrace

    def served(self, memory_id: str) -> list[str]:
        """Names of the labelled facets that this memory serves."""
        return [facet.name for facet in self.question.facets if facet.served_by(memory_id)]

    def facets_served(self, ranked: list[str]) -> list[str]:
        """Names of the labelled facets that these memories serve together."""
        found = {name for memory_id in ranked for name in self.served(memory_id)}
        return [facet.name for facet in self.question.facets if facet.name in found]


async def compare(scenario: Scenario, common: Common) -> Comparison:
    """Ask the scenario's first question both ways; the store is kept, so a second run is quick."""
    question = scenario.questions[0]
    async with opened(cached(common, "demo"), entity=scenario.name, counting=True) as recall:
        if not await recall.store.content_hashes():
            notices().print(f"Storing {len(scenario.memories)} memories, once ...", style="dim")
        await store_scenario(scenario, recall)
        plain = await plain_rankings(
            question.query, k=question.k, search=recall.store, embedder=recall.embedder
        )
        result = await recall.arecall(question.query, k=question.k, at=question.asked_at)
        trace = recall.trace(result.trace_id)
    return Comparison(
        question=question,
        titles={memory.memory_id: memory.title for memory in scenario.memories},
        plain=plain["dense"],
        result=result,
        trace=trace,
    )
