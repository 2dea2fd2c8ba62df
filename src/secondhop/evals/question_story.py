"""The story of one question: what came back, what it served, and what was missed and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from secondhop.evals.measures import group_of
from secondhop.evals.scenario import LabelledFacet, Question
from secondhop.graph.explain import Explanation
from secondhop.graph.result import RecalledMemory, RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.recall import Recall

Worth: TypeAlias = Literal["serves", "marginal", "repeats", "stale", "not needed"]
"""What the labels say of a returned memory; "marginal": grade 1 for every facet it is named in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMemory:
    """A memory that came back."""

    memory_id: str
    title: str
    score: float
    worth: Worth
    serves: Mapping[str, int]
    """{labelled facet: grade}."""
    looked_for: list[str]
    """The facets of the recall's own plan that it came back for."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedMemory:
    """A memory that would have served a facet and did not come back."""

    memory_id: str
    title: str
    grade: int
    cut_by: str
    """The stage, or never_found."""
    reason: str
    nearest_change: str
    """What would have let it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedFacet:
    """A labelled facet that nothing returned serves."""

    name: str
    why: str
    hop: int
    memories: list[MissedMemory]
    """Essential ones first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionStory:
    """One question and its answer."""

    shown: list[ShownMemory]
    missed: list[MissedFacet]
    stop_reason: str
    degraded: list[str]


async def told(
    question: Question, result: RecallResult, trace: RecallTrace, recall: Recall
) -> QuestionStory:
    """The story of a question that was just asked."""
    top = result.memories[: question.k]
    returned = {memory.id for memory in top}
    missed = [
        await missed_facet(facet, question, trace, recall)
        for facet in question.facets
        if not any(map(facet.served_by, returned))
    ]
    return QuestionStory(
        shown=shown_memories(question, top),
        missed=missed,
        stop_reason=result.stop_reason,
        degraded=result.degraded,
    )


def shown_memories(question: Question, top: list[RecalledMemory]) -> list[ShownMemory]:
    """What came back, in order, each with its worth."""
    groups, seen = group_of(question), set[int]()
    shown: list[ShownMemory] = []
    for memory in top:
        group = groups.get(memory.id)
        shown.append(shown_memory(question, memory, repeats=group in seen))
        if group is not None:
            seen.add(group)
    return shown


def shown_memory(question: Question, memory: RecalledMemory, *, repeats: bool) -> ShownMemory:
    """One memory of the answer; `repeats`: an earlier one says the same."""
    serves = {
        facet.name: facet.relevant[memory.id]
        for facet in question.facets
        if memory.id in facet.relevant
    }
    return ShownMemory(
        memory_id=memory.id,
        title=memory.title,
        score=memory.score,
        worth=worth_of(serves, stale=memory.id in question.stale, repeats=repeats),
        serves=serves,
        looked_for=memory.facets,
        why=memory.why,
    )


def worth_of(serves: Mapping[str, int], *, stale: bool, repeats: bool) -> Worth:
    """What the labels say, the worst first."""
    if stale:
        return "stale"
    if repeats:
        return "repeats"
    if not serves:
        return "not needed"
    return "serves" if max(serves.values()) >= 2 else "marginal"


async def missed_facet(
    facet: LabelledFacet, question: Question, trace: RecallTrace, recall: Recall
) -> MissedFacet:
    """A facet that nothing serves, and what became of the memories that would have."""
    wanted = [
        (grade, memory_id)
        for memory_id, grade in facet.relevant.items()
        if grade >= 2 and memory_id not in question.stale
    ]
    memories = [
        missed_memory(await recall.aexplain(trace, memory_id), grade)
        for grade, memory_id in sorted(wanted, key=lambda one: -one[0])
    ]
    return MissedFacet(name=facet.name, why=facet.why, hop=facet.hop, memories=memories)


def missed_memory(explanation: Explanation, grade: int) -> MissedMemory:
    """What kept it out, in the recall's own words."""
    told_of = explanation.story[-1:] if explanation.cut_by != "never_found" else explanation.story
    return MissedMemory(
        memory_id=explanation.memory_id,
        title=explanation.title,
        grade=grade,
        cut_by=explanation.cut_by,
        reason=" ".join(told_of),
        nearest_change=explanation.nearest_change,
    )
