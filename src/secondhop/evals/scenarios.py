"""Running scenarios: every question through the whole recall, and through plain search."""

from time import perf_counter

from secondhop.evals.baselines import plain_rankings
from secondhop.evals.measures import measure
from secondhop.evals.report import ScenarioReport
from secondhop.evals.scenario import Question, Scenario, UnansweredQuestion
from secondhop.ingest.run import IngestProgress
from secondhop.recall import Recall


async def store_scenario(
    scenario: Scenario, recall: Recall, *, progress: IngestProgress | None = None
) -> None:
    """Make the entity hold exactly the scenario's memories; what is stored already stays."""
    await recall.aadd(scenario.memories, progress=progress)
    wanted = {memory.memory_id for memory in scenario.memories}
    stored = await recall.store.content_hashes()
    await recall.store.delete([memory_id for memory_id in stored if memory_id not in wanted])


async def run_scenario(
    scenario: Scenario, recall: Recall, *, progress: IngestProgress | None = None
) -> ScenarioReport:
    """Ask every question at its own time with its own k; the memory must be stored before.

    Args:
        progress: called with (scenario, questions answered, questions in all).
    """
    report = ScenarioReport(name=scenario.name)
    questions: list[Question | UnansweredQuestion] = [*scenario.questions, *scenario.no_answer]
    for done, question in enumerate(questions, start=1):
        if isinstance(question, Question):
            await ask(question, recall, report=report)
        else:
            report.no_answer[question.id] = await ask_unanswered(question, recall)
        if progress:
            progress(scenario.name, done, len(questions))
    return report


async def ask(question: Question, recall: Recall, *, report: ScenarioReport) -> None:
    """One question through secondhop and every baseline, written into the report."""
    began = perf_counter()
    result = await recall.arecall(question.query, k=question.k, at=question.asked_at)
    report.ms[question.id] = 1000 * (perf_counter() - began)
    report.results[question.id] = result.ids()
    report.questions[question.id] = measure(question, result.ids())
    plain = await plain_rankings(
        question.query, k=question.k, search=recall.store, embedder=recall.embedder
    )
    for name, ranked in plain.items():
        report.baselines.setdefault(name, []).append(measure(question, ranked))


async def ask_unanswered(question: UnansweredQuestion, recall: Recall) -> list[str]:
    """Ids of what came back at or above the threshold; ideally []."""
    result = await recall.arecall(question.query, at=question.asked_at)
    threshold = recall.settings.ranking.min_score
    return [memory.id for memory in result.memories if memory.score >= threshold]
