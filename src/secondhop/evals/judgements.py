"""Relevance judgements and runs: what evaluation tools exchange.

A judgement grades a memory for a question, and for one aspect of it (a subtopic, our facet).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from secondhop.evals.scenario import Question

Rankings: TypeAlias = Mapping[str, Sequence[str]]
"""{question id: memory ids, best first}."""

NO_SUBTOPIC = "0"
"""What TREC writes where a question has no aspects."""


class Judgement(NamedTuple):
    """One line of qrels."""

    question_id: str
    subtopic: str
    memory_id: str
    grade: int
    """0 or less: not relevant."""


def judgements_of(questions: Iterable[Question]) -> Iterator[Judgement]:
    """The labels of scenario questions, a facet a subtopic, numbered from 1.

    A memory that another one replaced is judged not relevant. That some memories repeat each
    other cannot be said in this form.
    """
    for question in questions:
        for number, facet in enumerate(question.facets, start=1):
            for memory_id, grade in facet.relevant.items():
                counted = 0 if memory_id in question.stale else grade
                yield Judgement(question.id, str(number), memory_id, counted)


def question_ids(judgements: Iterable[Judgement]) -> list[str]:
    """Every judged question once, in order."""
    return list(dict.fromkeys(one.question_id for one in judgements))


def have_subtopics(judgements: Iterable[Judgement]) -> bool:
    """Whether any question has more than one aspect."""
    first: dict[str, str] = {}
    return any(
        first.setdefault(one.question_id, one.subtopic) != one.subtopic for one in judgements
    )


def best_grades(judgements: Iterable[Judgement]) -> list[Judgement]:
    """One judgement a question and memory: its best over the subtopics."""
    best: dict[tuple[str, str], Judgement] = {}
    for one in judgements:
        key = (one.question_id, one.memory_id)
        if key not in best or one.grade > best[key].grade:
            best[key] = one._replace(subtopic=NO_SUBTOPIC)
    return list(best.values())
