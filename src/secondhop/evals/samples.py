"""Samples of a scenario, for measurements that need a language model."""

from dataclasses import replace

from secondhop.evals.scenario import Question, Scenario
from secondhop.stores.records import Memory

SAMPLE = 40
"""Number of memories on which a prompt that writes cues is tried."""


def first_questions(scenario: Scenario, limit: int | None) -> Scenario:
    """The scenario with its first `limit` questions, those without an answer last; None: all."""
    if limit is None:
        return scenario
    left = max(0, limit - len(scenario.questions))
    return replace(
        scenario, questions=scenario.questions[:limit], no_answer=scenario.no_answer[:left]
    )


def sampled(scenario: Scenario) -> Scenario:
    """The first questions whose labels name at most SAMPLE memories, and SAMPLE memories without
    cues.

    The first question is always included, with all memories in its labels. The places that are
    left go to other memories, in the order of the scenario.
    """
    wanted: dict[str, None] = {}
    questions: list[Question] = []
    for question in scenario.questions:
        more = {**wanted, **dict.fromkeys(question.labelled_ids())}
        if questions and len(more) > SAMPLE:
            break
        questions.append(question)
        wanted = more
    free = [m.memory_id for m in scenario.memories if m.memory_id not in wanted]
    chosen = {*wanted, *free[: max(0, SAMPLE - len(wanted))]}
    return replace(
        scenario,
        memories=tuple(without_cues(m) for m in scenario.memories if m.memory_id in chosen),
        questions=tuple(questions),
        no_answer=(),
    )


def without_cues(memory: Memory) -> Memory:
    """The memory without cues, role and replaced ids."""
    return replace(memory, cues=(), broad_cues=(), role="", replaces=())
