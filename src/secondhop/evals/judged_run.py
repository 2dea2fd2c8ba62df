"""Runs measured with TREC judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from secondhop.evals.comparison import Comparison, compared
from secondhop.evals.ir_library import NDEVAL_DEPTH, SUBTOPIC_MEASURES, library_measures
from secondhop.evals.judgements import Judgement, Rankings, question_ids
from secondhop.evals.measures import Measures, mean_of
from secondhop.evals.variety import cross_question_overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRun:
    """One run, and how good it is."""

    name: str
    results: Rankings
    """Every question of the run, judged or not."""
    questions: Mapping[str, Measures]
    """{judged question: {"P@10": …}}; a question that the run lacks has 0 everywhere."""
    k: int

    def mean(self) -> Measures:
        """Over the judged questions, the unanswered ones included."""
        return mean_of(self.questions.values())

    def unanswered(self) -> list[str]:
        """Judged questions for which the run has nothing."""
        return [one for one in self.questions if not self.results.get(one)]

    def top(self) -> dict[str, list[str]]:
        """The first k of every question."""
        return {one: list(ranking[: self.k]) for one, ranking in self.results.items()}

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        overlap = cross_question_overlap(self.top())
        return {
            "results": self.top(),
            "mean": self.mean(),
            "queries": self.questions,
            "unanswered": self.unanswered(),
            "variety": {
                "overlap": overlap.overlap if overlap else None,
                "jaccard": overlap.jaccard if overlap else None,
            },
        }


def judged_run(
    name: str, rankings: Rankings, judgements: Sequence[Judgement], *, k: int
) -> JudgedRun:
    """Measure the first k of every judged question.

    Raises:
        EvalExtraMissingError: ir-measures is not installed.
    """
    cutoffs = dict.fromkeys(question_ids(judgements), k)
    measured = library_measures(judgements, rankings, cutoffs=cutoffs)
    return JudgedRun(
        name=name,
        results=rankings,
        questions={
            one: {label(measure, k): value for measure, value in measures.items()}
            for one, measures in measured.items()
        },
        k=k,
    )


def label(measure: str, k: int) -> str:
    """A measure with the depth that it was taken at.

    >>> label("P", 50), label("StRecall", 50)
    ('P@50', 'StRecall@20')
    """
    return f"{measure}@{min(k, NDEVAL_DEPTH) if measure in SUBTOPIC_MEASURES else k}"


def compared_runs(ours: JudgedRun, theirs: JudgedRun) -> Comparison:
    """One run less another, question by question."""
    return compared(theirs.name, {ours.name: ours.questions}, {ours.name: theirs.questions})
