"""Runs scenarios: asks secondhop and plain search every question."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from secondhop.errors import StoreError, UsageError
from secondhop.evals.baselines import plain_rankings
from secondhop.evals.missed import missed_facets
from secondhop.evals.report import OURS, Answer, ScenarioReport, judged
from secondhop.evals.scenario import Question, Scenario, UnansweredQuestion
from secondhop.graph.result import RecallResult
from secondhop.ingest.run import IngestProgress
from secondhop.nodes.state import Effort
from secondhop.recall import Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How the questions of a scenario are asked, and what is recorded."""

    at_once: int = 1
    """Questions asked at once; with more than one, the times are those of a busy machine."""
    baselines: bool = True
    """Ask plain search, too."""
    missed: bool = False
    """Explain each missed memory; this takes a few searches per memory."""
    effort: Effort | None = None
    """How much a language model is asked; None: the default effort."""
    warm_up: bool = False
    """First ask everything once, untimed and without a model, so that both sides of a comparison
    are timed with a warm store and cached embeddings."""


async def store_scenario(
    scenario: Scenario, recall: Recall, *, progress: IngestProgress | None = None
) -> None:
    """Make the entity hold exactly the scenario's memories. Stored ones are not embedded again."""
    await recall.aadd(scenario.memories, progress=progress)
    wanted = {memory.memory_id for memory in scenario.memories}
    stored = await recall.admin.store.content_hashes()
    await recall.admin.store.delete([memory_id for memory_id in stored if memory_id not in wanted])


async def expect_stored(scenario: Scenario, recall: Recall) -> None:
    """Raises UsageError if the labels name a memory that the store does not hold."""
    stored = await recall.admin.store.content_hashes()
    for question in scenario.questions:
        for memory_id in question.labelled_ids():
            if memory_id not in stored:
                raise UsageError(
                    f"question {question.id!r} of {scenario.name} names the memory "
                    f"{memory_id!r}, which is not stored for {recall.admin.services.entity!r}; "
                    f"`secondhop list` prints the ids that are"
                )


async def run_scenario(
    scenario: Scenario,
    recall: Recall,
    *,
    asking: Asking,
    progress: IngestProgress | None = None,
) -> ScenarioReport:
    """Ask every question with its own time and k. The memories must be stored already."""
    questions: list[Question | UnansweredQuestion] = [*scenario.questions, *scenario.no_answer]
    cold = Asking(baselines=False, effort="none")
    for question in questions if asking.warm_up else questions[:1]:  # one loads the embedding model
        await ask(question, recall, asking=cold)
    gate, answered = asyncio.Semaphore(asking.at_once), dict[str, Answer]()

    async def put(question: Question | UnansweredQuestion) -> None:
        async with gate:
            answered[question.id] = await ask(question, recall, asking=asking)
        if progress:
            progress(scenario.name, len(answered), len(questions))

    try:
        async with asyncio.TaskGroup() as tasks:
            for question in questions:
                tasks.create_task(put(question))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
    answers = {question.id: answered[question.id] for question in questions}
    rankings: dict[str, dict[str, Sequence[str]]] = {}
    for question in scenario.questions:
        answer = answers[question.id]
        for system, ids in {OURS: answer.ids, **answer.plain}.items():
            rankings.setdefault(system, {})[question.id] = ids
    return ScenarioReport(
        name=scenario.name,
        asked=scenario.questions,
        systems={system: judged(scenario.questions, own) for system, own in rankings.items()},
        answers=answers,
    )


async def ask(question: Question | UnansweredQuestion, recall: Recall, *, asking: Asking) -> Answer:
    """Ask secondhop one question and, if the question has an answer, ask every baseline."""
    k = question.k if isinstance(question, Question) else None
    began = perf_counter()
    events = recall.astream(
        question.query,
        k=k,
        at=question.asked_at,
        effort=asking.effort,
        earlier=question.earlier,
    )
    result, draft = [(one.result, one.draft) async for one in events][-1]
    took_ms = 1000 * (perf_counter() - began)
    if result is None or draft is None:
        raise StoreError("the recall ended without an answer; please report this")
    answer = Answer(
        ids=result.ids() if isinstance(question, Question) else confident_ids(result, recall),
        ms=took_ms,
        spent=result.spent,
        degraded=result.degraded,
    )
    if isinstance(question, UnansweredQuestion):
        return answer
    if asking.baselines:
        plain = await plain_rankings(
            question.query,
            k=question.k,
            search=recall.admin.store,
            embedder=recall.admin.services.embedder,
        )
        answer = replace(answer, plain=plain)
    if asking.missed:
        missed = await missed_facets(question, result, draft.trace, recall)
        answer = replace(answer, missed=missed)
    return answer


def confident_ids(result: RecallResult, recall: Recall) -> list[str]:
    """Ids of the returned memories that score at least `min_score`."""
    threshold = recall.admin.config.ranking.min_score
    return [memory.id for memory in result.memories if memory.score >= threshold]
