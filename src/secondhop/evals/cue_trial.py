"""Two variants of the prompt that writes cues: a sample annotated with each, and asked."""

from collections.abc import Sequence
from dataclasses import replace

from secondhop.errors import ModelError
from secondhop.evals.prompt_trial import Outcome, Pair, outcome
from secondhop.evals.scenario import Question, Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.ingest.run import IngestProgress
from secondhop.recall import Recall
from secondhop.stores.records import Memory


def sampled(scenario: Scenario, *, memories: int, limit: int | None) -> Scenario:
    """As many of its questions as `memories` memories can answer, and these memories.

    The first question is always there, with all that is labelled for it. What the labels leave
    free goes to other memories, the first of the scenario.

    Args:
        limit: questions, at most.
    """
    wanted: dict[str, None] = {}
    questions: list[Question] = []
    for question in scenario.questions[:limit]:
        more = {**wanted, **dict.fromkeys(question.labelled_ids())}
        if questions and len(more) > memories:
            break
        questions.append(question)
        wanted = more
    free = [m.memory_id for m in scenario.memories if m.memory_id not in wanted]
    chosen = {*wanted, *free[: max(0, memories - len(wanted))]}
    return replace(
        scenario,
        memories=tuple(without_cues(m) for m in scenario.memories if m.memory_id in chosen),
        questions=tuple(questions),
        no_answer=(),
    )


def without_cues(memory: Memory) -> Memory:
    """A memory of which the host has said nothing."""
    return replace(memory, cues=(), broad_cues=(), role="", replaces=())


async def try_cues(
    scenario: Scenario, recalls: Sequence[Recall], *, progress: IngestProgress | None = None
) -> list[Pair]:
    """Every question asked of both memories without a model, after each has written its cues.

    Args:
        recalls: (against, variant), each with its prompt, on a memory of its own.

    Raises:
        ModelError: some memories could not be annotated, so that the comparison would be unfair.
    """
    sides = [await answered(scenario, recall, progress=progress) for recall in recalls]
    return [
        Pair(
            scenario=scenario.name,
            question_id=question.id,
            question=question.query,
            against=against,
            variant=variant,
        )
        for question, against, variant in zip(scenario.questions, *sides, strict=True)
    ]


async def answered(
    scenario: Scenario, recall: Recall, *, progress: IngestProgress | None
) -> list[Outcome]:
    """The questions of a scenario, asked of a memory with the cues that its prompt brings."""
    await store_scenario(scenario, recall)
    ledger = await recall.aannotate(progress=progress)
    if ledger.pending:
        why = ledger.stopped or next((one.why for one in ledger.failed), "")
        raise ModelError(f"{ledger.pending} memories of {scenario.name} have no cues: {why}")
    await recall.awarm()
    services = replace(recall.services, planner=None, critic=None)
    return [await outcome(question, services, recall) for question in scenario.questions]
