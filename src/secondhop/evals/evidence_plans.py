"""Plans for the questions of an evidence set: their own sub-questions, or those of a file."""

from collections.abc import Sequence
from pathlib import Path

from secondhop.errors import UsageError
from secondhop.evals.baselines_plans import WrittenPlanner, load_plans
from secondhop.evals.evidence_set import QuestionLine, SubQuestion
from secondhop.nodes.planning.port import PlannedFacet

GOLD = "gold"
"""Names the sub-questions that the set itself gives."""

SUB_QUESTION_WEIGHT = 1.5
"""Against 1 for the whole question: whoever asks hop by hop leans on the hops."""


def planner_for(plans: str, *, name: str, questions: Sequence[QuestionLine]) -> WrittenPlanner:
    """The planner that `--plans` names.

    Raises:
        UsageError: "gold", and a question has no sub-questions; or as for the file.
    """
    if plans == GOLD:
        return gold_planner(questions)
    texts = {question.id: question.question for question in questions}
    return load_plans(Path(plans), name=name, questions=texts)


def gold_planner(questions: Sequence[QuestionLine]) -> WrittenPlanner:
    """Every question's own sub-questions, one a facet and hop."""
    lacking = [question.id for question in questions if not question.decomposition]
    if lacking:
        raise UsageError(
            f"question {lacking[0]!r} has no decomposition ({len(lacking)} of {len(questions)} "
            f"lack one); --plans gold needs one of every question"
        )
    plans = {question.question: hops(question.decomposition) for question in questions}
    return WrittenPlanner(plans, planner_id=GOLD)


def hops(decomposition: Sequence[SubQuestion]) -> tuple[PlannedFacet, ...]:
    """A facet a sub-question; "#1" in a later one becomes the answer to the first."""
    facets: list[PlannedFacet] = []
    for number, text in enumerate(spelt_out(decomposition), start=1):
        facets.append(
            PlannedFacet(
                name=f"sub-question {number}",
                why="A step of the question.",
                hop=number,
                queries=(text,),
                weight=SUB_QUESTION_WEIGHT,
            )
        )
    return tuple(facets)


def spelt_out(decomposition: Sequence[SubQuestion]) -> list[str]:
    """The sub-questions with the answers of earlier ones put in; the last "#" first, for "#12".

    >>> spelt_out([SubQuestion(question="Who wrote it?", answer="Ann"),
    ...            SubQuestion(question="Where does #1 live?")])
    ['Who wrote it?', 'Where does Ann live?']
    """
    texts: list[str] = []
    for place, sub in enumerate(decomposition):
        text = sub.question.replace(" >> ", " ")
        for number in range(place, 0, -1):
            text = text.replace(f"#{number}", decomposition[number - 1].answer)
        texts.append(text)
    return texts
