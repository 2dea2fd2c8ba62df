"""Running scenarios: every question through the whole recall, and through plain search."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

from secondhop.evals.baselines import plain_rankings
from secondhop.evals.measures import measure
from secondhop.evals.report import ScenarioReport
from secondhop.evals.scenario import Question, Scenario, UnansweredQuestion
from secondhop.evals.side_by_side import side_by_side
from secondhop.graph.result import RecallResult
from secondhop.ingest.run import IngestProgress
from secondhop.recall import Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question, asked."""

    ids: list[str]
    """Of an unanswerable question, those at or above the threshold; ideally []."""
    ms: float
    plain: Mapping[str, list[str]]
    """{baseline: ids}; {} for an unanswerable question."""


async def store_scenario(
    scenario: Scenario, recall: Recall, *, progress: IngestProgress | None = None
) -> None:
    """Make the entity hold exactly the scenario's memories; what is stored already stays."""
    await recall.aadd(scenario.memories, progress=progress)
    wanted = {memory.memory_id for memory in scenario.memories}
    stored = await recall.store.content_hashes()
    await recall.store.delete([memory_id for memory_id in stored if memory_id not in wanted])


async def run_scenario(
    scenario: Scenario,
    recall: Recall,
    *,
    progress: IngestProgress | None = None,
    at_once: int = 1,
) -> ScenarioReport:
    """Ask every question at its own time with its own k; the memory must be stored before.

    Args:
        progress: called with (scenario, questions answered, questions in all).
        at_once: questions; with more than one the times are those of a busy machine.
    """
    questions: list[Question | UnansweredQuestion] = [*scenario.questions, *scenario.no_answer]
    answers = await side_by_side(
        questions,
        lambda question: ask(question, recall),
        at_once=at_once,
        progress=(lambda done: progress(scenario.name, done, len(questions))) if progress else None,
    )
    report = ScenarioReport(name=scenario.name)
    for question, answer in zip(questions, answers, strict=True):
        if isinstance(question, UnansweredQuestion):
            report.no_answer[question.id] = answer.ids
            continue
        report.ms[question.id] = answer.ms
        report.results[question.id] = answer.ids
        report.questions[question.id] = measure(question, answer.ids)
        for name, ranked in answer.plain.items():
            report.baselines.setdefault(name, []).append(measure(question, ranked))
    return report


async def ask(question: Question | UnansweredQuestion, recall: Recall) -> Answer:
    """One question through secondhop and, when it has an answer, through every baseline."""
    k = question.k if isinstance(question, Question) else None
    began = perf_counter()
    result = await recall.arecall(question.query, k=k, at=question.asked_at)
    ms = 1000 * (perf_counter() - began)
    if isinstance(question, UnansweredQuestion):
        return Answer(ids=confident_ids(result, recall), ms=ms, plain={})
    plain = await plain_rankings(
        question.query, k=question.k, search=recall.store, embedder=recall.embedder
    )
    return Answer(ids=result.ids(), ms=ms, plain=plain)


def confident_ids(result: RecallResult, recall: Recall) -> list[str]:
    """Ids of what came back at or above the threshold."""
    threshold = recall.settings.ranking.min_score
    return [memory.id for memory in result.memories if memory.score >= threshold]
