"""The demo: questions answered by plain search and by secondhop, without cues and with them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.cli.terminal import notices
from secondhop.evals.baselines import plain_rankings
from secondhop.evals.samples import without_cues
from secondhop.evals.scenario import Question, Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.server.recall_file import graph_of, recall_page
from secondhop.wording import counted

PLAIN, OURS, WITH_CUES = "plain top-k search", "secondhop", "secondhop with cues"
PLAIN_ENTITY = "without-cues"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoAnswers:
    """Answers to a scenario's questions, and what the labels say about them."""

    scenario: Scenario
    answers: dict[str, list[list[str]]]
    """{system: memory ids of each question's answer, best first}. Plain search is the first
    system, secondhop with cues (if there are any) the last."""
    result: RecallResult
    """The last system's answer to the first question."""
    trace: RecallTrace
    page: str
    """The same answer as a self-contained web page."""

    @property
    def question(self) -> Question:
        """The question whose answer is shown."""
        return self.scenario.questions[0]

    def of_all(self, who: str) -> int:
        """How many facets of all questions a system's answers serve."""
        rows = zip(self.scenario.questions, self.answers[who], strict=True)
        return sum(len(facets_served(question, ranked)) for question, ranked in rows)


def facets_served(question: Question, ranked: Sequence[str]) -> list[str]:
    """Names of the labelled facets that these memories serve together."""
    return [facet.name for facet in question.facets if any(map(facet.served_by, ranked))]


async def compare(scenario: Scenario, common: Common) -> DemoAnswers:
    """Ask the scenario's questions in each way, in a temporary store unless one is named.

    Embeddings are cached in the user's cache folder, so that a second run is quick.
    """
    bare = replace(scenario, memories=tuple(map(without_cues, scenario.memories)))
    sides = {OURS: bare}
    if bare.memories != scenario.memories:
        sides[WITH_CUES] = scenario
    answers: dict[str, list[list[str]]] = {PLAIN: []}
    shown: list[tuple[RecallResult, RecallTrace, str]] = []
    with throwaway(common) as place, kept_embeddings(common) as embedder:
        stored = counted(len(scenario.memories), "memory")
        notices().print(f"Storing {stored} ...", style="dim")
        for name, side in sides.items():
            entity = scenario.name if side is scenario else f"{scenario.name}-{PLAIN_ENTITY}"
            async with opened(place, entity=entity, embedder=embedder, counting=True) as recall:
                with bars() as progress:
                    await store_scenario(side, recall, progress=progress)
                for question in scenario.questions if not answers[PLAIN] else ():
                    plain = await plain_rankings(
                        question.query, k=question.k, search=recall.admin.store, embedder=embedder
                    )
                    answers[PLAIN].append(plain["dense"])
                given = [
                    await recall.arecall(question.query, k=question.k, at=question.asked_at)
                    for question in scenario.questions
                ]
                trace = recall.trace(given[0].trace_id)
                page = recall_page(given[0], trace, graph=graph_of(recall))
                shown.append((given[0], trace, page))
            answers[name] = [result.ids() for result in given]
    result, trace, page = shown[-1]
    return DemoAnswers(scenario=scenario, answers=answers, result=result, trace=trace, page=page)
