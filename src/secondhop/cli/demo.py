"""The demo: a question, answered by plain search and by secondhop, without cues and with them."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from secondhop.cli.eval_bench import CACHE
from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.cli.terminal import notices, shorten
from secondhop.evals.baselines import plain_rankings
from secondhop.evals.samples import without_cues
from secondhop.evals.scenario import Question, Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.ingest.reading import NEW_CHAT
from secondhop.models.embedder import Embedder
from secondhop.stores.records import Memory
from secondhop.wording import counted

PLAIN, OURS, WITH_CUES = "plain top-k search", "secondhop", "secondhop with cues"
PLAIN_ENTITY = "without-cues"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Answers to one question, and what its labels say about them."""

    question: Question
    titles: dict[str, str]
    """{memory id: what to call it} of the whole scenario."""
    answers: dict[str, list[str]]
    """{who answered: memory ids, best first}: plain search first, secondhop at its best last."""
    result: RecallResult
    """The last of them."""
    trace: RecallTrace

    def served(self, memory_id: str) -> list[str]:
        """Names of the labelled facets that this memory serves."""
        return [facet.name for facet in self.question.facets if facet.served_by(memory_id)]

    def facets_served(self, ranked: Sequence[str]) -> list[str]:
        """Names of the labelled facets that these memories serve together."""
        found = {name for memory_id in ranked for name in self.served(memory_id)}
        return [facet.name for facet in self.question.facets if facet.name in found]


def label_of(memory: Memory) -> str:
    """Its title; of a chat without a title, its first words."""
    if memory.title and memory.title != NEW_CHAT:
        return memory.title
    return f"“{shorten(memory.messages[0].content, 44)}”"


async def compare(scenario: Scenario, common: Common) -> Comparison:
    """Ask the scenario's first question both ways, in a throwaway store unless one is named.

    Embeddings are kept in the user's cache folder, so that a second run is quick.
    """
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common, CACHE))
        return await compare_in(scenario, place, embedder)


async def compare_in(scenario: Scenario, common: Common, embedder: Embedder) -> Comparison:
    """The same in the named store."""
    bare = replace(scenario, memories=tuple(map(without_cues, scenario.memories)))
    sides = {OURS: bare}
    if bare.memories != scenario.memories:
        sides[WITH_CUES] = scenario
    stored = counted(len(scenario.memories), "memory")
    notices().print(f"Storing {stored} ...", style="dim")
    question = scenario.questions[0]
    answers: dict[str, list[str]] = {}
    given: list[tuple[RecallResult, RecallTrace]] = []
    for name, side in sides.items():
        entity = scenario.name if side is scenario else f"{scenario.name}-{PLAIN_ENTITY}"
        async with opened(common, entity=entity, embedder=embedder, counting=True) as recall:
            with bars() as progress:
                await store_scenario(side, recall, progress=progress)
            if not answers:
                plain = await plain_rankings(
                    question.query, k=question.k, search=recall.store, embedder=embedder
                )
                answers[PLAIN] = plain["dense"]
            result = await recall.arecall(question.query, k=question.k, at=question.asked_at)
            given.append((result, recall.trace(result.trace_id)))
        answers[name] = result.ids()
    return Comparison(
        question=question,
        titles={memory.memory_id: label_of(memory) for memory in scenario.memories},
        answers=answers,
        result=given[-1][0],
        trace=given[-1][1],
    )
