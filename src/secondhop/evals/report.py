"""The results of an evaluation: rankings and measures per scenario and question."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from secondhop.evals.answers import Answer
from secondhop.evals.costs import Costs, costs_of
from secondhop.evals.measures import Measures, Rankings, mean_of, measure
from secondhop.evals.scenario import Question

OURS = "secondhop"
"""The name of secondhop among the systems of a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRun:
    """One system over one scenario; the keys are question ids, in order."""

    results: dict[str, list[str]]
    """{question id: memory ids, best first}."""
    questions: dict[str, Measures]
    """{question id: its measures}."""

    def mean(self) -> Measures:
        """The mean of each measure over the questions."""
        return mean_of(self.questions.values())


def judged(questions: Sequence[Question], results: Rankings) -> SystemRun:
    """A system's rankings with their measures; a question without a ranking counts as []."""
    top = {one.id: list(results.get(one.id, ())) for one in questions}
    return SystemRun(
        results=top,
        questions={one.id: measure(one, top[one.id]) for one in questions},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioReport:
    """One scenario, answered by secondhop and by plain search."""

    name: str
    asked: Sequence[Question]
    """The labelled questions, in order."""
    systems: Mapping[str, SystemRun]
    """secondhop first."""
    answers: Mapping[str, Answer]
    """{question id: secondhop's answer}, with those to unanswerable questions."""

    def labelled(self) -> dict[str, Answer]:
        """The answers to the labelled questions, in order."""
        return {one.id: self.answers[one.id] for one in self.asked}

    @property
    def no_answer(self) -> dict[str, list[str]]:
        """{id of an unanswerable question: memory ids returned for it}; [] is best."""
        labelled = self.labelled()
        return {one: answer.ids for one, answer in self.answers.items() if one not in labelled}

    @property
    def results(self) -> dict[str, list[str]]:
        """secondhop's {question id: memory ids, best first}."""
        return self.systems[OURS].results

    @property
    def questions(self) -> dict[str, Measures]:
        """secondhop's {question id: measures}."""
        return self.systems[OURS].questions

    def mean(self) -> Measures:
        """secondhop's mean measures over the questions."""
        return self.systems[OURS].mean()

    def costs(self) -> Costs:
        """The cost of the labelled questions' recalls."""
        return costs_of([*self.labelled().values()])

    def means(self) -> dict[str, Measures]:
        """{system: its mean measures}, secondhop first."""
        return {name: run.mean() for name, run in self.systems.items()}

    def wrongly_answered(self) -> int:
        """Number of unanswerable questions for which memories were returned; lower is better."""
        return sum(bool(ranked) for ranked in self.no_answer.values())

    def degraded(self) -> dict[str, list[str]]:
        """{question id: what its recall had to do without}; only degraded recalls."""
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
    """{system: mean of the scenarios' means}; each scenario has the same weight."""
    return {
        system: mean_of(report.systems[system].mean() for report in reports)
        for system in reports[0].systems
    }
