"""The results of an evaluation: rankings and measures, by scenario and question."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from secondhop.evals.answers import Answer
from secondhop.evals.costs import Costs, costs_of
from secondhop.evals.measures import Measures, Rankings, mean_of, measure
from secondhop.evals.scenario import Question

OURS = "secondhop"
"""Among the systems of a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRun:
    """One system over one scenario; every mapping is by question id, in order."""

    results: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Memory ids, best first."""
    questions: dict[str, Measures] = field(default_factory=dict[str, Measures])
    """The measures of `evals.measures`."""

    def mean(self) -> Measures:
        """Of `evals.measures`."""
        return mean_of(self.questions.values())


def judged(questions: Sequence[Question], results: Rankings) -> SystemRun:
    """Measure what a system returned."""
    top = {one.id: list(results.get(one.id, ())) for one in questions}
    return SystemRun(
        results=top,
        questions={one.id: measure(one, top[one.id]) for one in questions},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioReport:
    """One scenario: secondhop beside plain search."""

    name: str
    asked: Sequence[Question] = ()
    """The labelled questions, in order."""
    systems: dict[str, SystemRun] = field(default_factory=dict[str, SystemRun])
    """secondhop first."""
    answers: Mapping[str, Answer] = field(default_factory=dict[str, Answer])
    """{question id: what was answered}, also of questions that nothing answers."""

    def labelled(self) -> dict[str, Answer]:
        """The answers to the labelled questions, in order."""
        return {one.id: self.answers[one.id] for one in self.asked}

    @property
    def no_answer(self) -> dict[str, list[str]]:
        """{id of a question that nothing answers: memories returned all the same}; best when []."""
        labelled = self.labelled()
        return {one: answer.ids for one, answer in self.answers.items() if one not in labelled}

    @property
    def ours(self) -> SystemRun:
        """What secondhop returned."""
        return self.systems.get(OURS) or SystemRun()

    @property
    def results(self) -> dict[str, list[str]]:
        """{question id: memory ids, best first}, of secondhop."""
        return self.ours.results

    @property
    def questions(self) -> dict[str, Measures]:
        """{question id: its measures}, of secondhop."""
        return self.ours.questions

    def mean(self) -> Measures:
        """Of secondhop, over the questions."""
        return self.ours.mean()

    def costs(self) -> Costs:
        """What the recalls cost."""
        own = self.labelled().values()
        return costs_of([one.spent for one in own], [one.ms for one in own])

    def means(self) -> dict[str, Measures]:
        """{system: its mean}, secondhop first."""
        return {name: run.mean() for name, run in self.systems.items()}

    def wrongly_answered(self) -> int:
        """Questions that nothing answers and that got a memory; lower is better."""
        return sum(bool(ranked) for ranked in self.no_answer.values())

    def degraded(self) -> dict[str, list[str]]:
        """{question id: what its recall had to do without}, of those that had to."""
        return {one: answer.degraded for one, answer in self.answers.items() if answer.degraded}

    def document(self, *, per_question: bool) -> dict[str, Any]:
        """For `--json`."""
        document: dict[str, Any] = {
            "results": self.results,
            "mean": self.mean(),
            "baselines": {
                name: {"mean": run.mean()} for name, run in self.systems.items() if name != OURS
            },
            "ms": {one: answer.ms for one, answer in self.labelled().items()},
            "costs": asdict(self.costs()),
        }
        if self.no_answer:
            document["no_answer"] = {
                "questions": len(self.no_answer),
                "answered": self.wrongly_answered(),
                "results": self.no_answer,
            }
        if degraded := self.degraded():
            document["degraded"] = degraded
        if per_question:
            document["queries"] = self.questions
            document["missed"] = {
                one: [asdict(facet) for facet in answer.missed]
                for one, answer in self.labelled().items()
            }
        return document


def mean_of_scenarios(reports: Sequence[ScenarioReport]) -> Mapping[str, Measures]:
    """{system: mean of the scenarios' means}: each scenario counts the same, whatever its size."""
    return {
        system: mean_of(run.mean() for run in runs) for system, runs in by_system(reports).items()
    }


def by_system(reports: Sequence[ScenarioReport]) -> dict[str, list[SystemRun]]:
    """{system: its run of every scenario}, in order; a system that one scenario lacks is left out.

    A mean over other scenarios would not compare.
    """
    names = list(reports[0].systems) if reports else []
    return {
        name: [report.systems[name] for report in reports]
        for name in names
        if all(name in report.systems for report in reports)
    }
