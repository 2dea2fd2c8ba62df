"""Facets that an answer missed, and why their memories were not returned."""

from dataclasses import dataclass

from secondhop.evals.scenario import LabelledFacet, Question
from secondhop.graph.explanation import Explanation
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.recall import Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedMemory:
    """A memory that would have served a facet but was not returned."""

    memory_id: str
    title: str
    grade: int
    cut_by: str
    """The stage that dropped it, or "never_found"."""
    reason: str
    nearest_change: str
    """The smallest change that would have let it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedFacet:
    """A labelled facet that no returned memory serves."""

    name: str
    why: str
    hop: int
    memories: list[MissedMemory]
    """Essential ones first."""


async def missed_facets(
    question: Question, result: RecallResult, trace: RecallTrace, recall: Recall
) -> list[MissedFacet]:
    """The facets of a question that no memory in its answer serves."""
    returned = result.ids()[: question.k]
    return [
        await missed_facet(facet, question, trace, recall)
        for facet in question.facets
        if not any(map(facet.served_by, returned))
    ]


async def missed_facet(
    facet: LabelledFacet, question: Question, trace: RecallTrace, recall: Recall
) -> MissedFacet:
    """The facet, with an explanation for each memory that would have served it and holds."""
    wanted = [
        (grade, memory_id)
        for memory_id, grade in facet.relevant.items()
        if grade >= 2 and memory_id not in question.stale
    ]
    wanted.sort(key=lambda one: -one[0])
    memories = [missed_memory(await recall.aexplain(trace, one), grade) for grade, one in wanted]
    return MissedFacet(name=facet.name, why=facet.why, hop=facet.hop, memories=memories)


def missed_memory(explanation: Explanation, grade: int) -> MissedMemory:
    """Why a memory was not returned, in the words of its explanation."""
    told_of = explanation.story[-1:] if explanation.cut_by != "never_found" else explanation.story
    return MissedMemory(
        memory_id=explanation.memory_id,
        title=explanation.title,
        grade=grade,
        cut_by=explanation.cut_by,
        reason=" ".join(told_of),
        nearest_change=explanation.nearest_change,
    )
