"""Two variants of the prompts, asked the same questions of the same memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from secondhop.errors import StoreError
from secondhop.evals.measures import Measures, measure
from secondhop.evals.scenario import Question, Scenario, UnansweredQuestion
from secondhop.evals.scenarios import confident_ids
from secondhop.evals.side_by_side import side_by_side
from secondhop.graph.builder import build_recall_graph
from secondhop.graph.result import RecallResult, Spent
from secondhop.graph.trace import RecallTrace
from secondhop.ingest.run import IngestProgress
from secondhop.models.answer_cache import AnswerCache, AnswerCounts, AnswerFile
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import TokenPrice
from secondhop.nodes.llm_services import llm_services
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.prompts.templates import PromptSource
from secondhop.recall import Recall
from secondhop.running import run_recall

ASKED_BY_ITSELF = "question"
"""Origin of the query that is the question as it stands: no prompt wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenQuery:
    """A query that a prompt brought about."""

    facet: str
    text: str
    origin: str
    """decompose, expand, uncovered, evidence, spark, …: who asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question through one variant."""

    ids: list[str]
    """Of an unanswerable question, those at or above the threshold; ideally []."""
    measures: Measures
    """{} for an unanswerable question."""
    queries: list[WrittenQuery]
    spent: Spent
    """As it was when the model was asked, whether now or in an earlier run."""
    degraded: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One question through both variants."""

    scenario: str
    question_id: str
    question: str
    against: Outcome
    variant: Outcome

    @property
    def is_labelled(self) -> bool:
        """Whether anything answers it."""
        return bool(self.against.measures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One variant: its prompts, and the model whose answers are counted for it."""

    prompts: PromptSource
    llm: StructuredLLM
    answers: AnswerFile
    """Keeps what the model answers."""
    price: TokenPrice | None = None
    """What the model costs; None: unknown."""
    counts: AnswerCounts = field(default_factory=AnswerCounts)

    def services(self, recall: Recall) -> Services:
        """Those of the recall, but planned and judged with these prompts."""
        cache = AnswerCache(self.llm, self.answers, counts=self.counts)
        planner, critic = llm_services(
            cache, prompts=self.prompts, planning=recall.services.settings.planning
        )
        return replace(recall.services, planner=planner, critic=critic, price=self.price)


async def try_scenario(
    scenario: Scenario,
    recall: Recall,
    contenders: tuple[Contender, Contender],
    *,
    at_once: int = 4,
    limit: int | None = None,
    progress: IngestProgress | None = None,
) -> list[Pair]:
    """Every question through both; the memory must be stored before.

    The two take turns within a question, so that what both ask in the same words is asked once.

    Args:
        contenders: (against, variant).
        at_once: questions.
        limit: questions of each kind, the first of the scenario; None: all.
    """
    await recall.awarm()
    sides = [one.services(recall) for one in contenders]
    questions: list[Question | UnansweredQuestion] = [
        *islice(scenario.questions, limit),
        *islice(scenario.no_answer, limit),
    ]

    async def pair(question: Question | UnansweredQuestion) -> Pair:
        against, variant = [await outcome(question, services, recall) for services in sides]
        return Pair(
            scenario=scenario.name,
            question_id=question.id,
            question=question.query,
            against=against,
            variant=variant,
        )

    return await side_by_side(
        questions,
        pair,
        at_once=at_once,
        progress=(lambda done: progress(scenario.name, done, len(questions))) if progress else None,
    )


async def outcome(
    question: Question | UnansweredQuestion, services: Services, recall: Recall
) -> Outcome:
    """The question through one variant."""
    asked: RecallInput = {
        "question": question.query,
        "k": question.k if isinstance(question, Question) else None,
        "asked_at": question.asked_at.isoformat(),
    }
    result, trace = await recalled(asked, services)
    ids, measures = confident_ids(result, recall), Measures()
    if isinstance(question, Question):
        ids, measures = result.ids(), measure(question, result.ids())
    return Outcome(
        ids=ids,
        measures=measures,
        queries=written_queries(trace),
        spent=result.spent,
        degraded=result.degraded,
    )


async def recalled(asked: RecallInput, services: Services) -> tuple[RecallResult, RecallTrace]:
    """One recall to its end; its trace is handed back and kept nowhere."""
    async for event in run_recall(build_recall_graph(services), asked, services=services):
        if event.result is not None and event.trace is not None:
            return event.result, event.trace
    raise StoreError("the recall ended without an answer; please report this")


def written_queries(trace: RecallTrace) -> list[WrittenQuery]:
    """The queries that were asked and that a prompt brought about, in order."""
    names = {facet.facet_id: facet.name for facet in trace.facets}
    return [
        WrittenQuery(facet=names[query.facet_id], text=query.text, origin=query.origin)
        for query in trace.queries
        if query.round and query.origin != ASKED_BY_ITSELF
    ]


def degraded_recalls(outcomes: Sequence[Outcome]) -> int:
    """How many had to do without something, as a model that did not answer in time."""
    return sum(bool(one.degraded) for one in outcomes)
