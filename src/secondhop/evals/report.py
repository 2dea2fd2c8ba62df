"""The results of an evaluation: rankings, measures and costs per scenario and question."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from secondhop.evals.measures import Measures, Rankings, mean_of, measure
from secondhop.evals.missed import MissedFacet
from secondhop.evals.scenario import Question
from secondhop.graph.result import Spent

OURS = "secondhop"
"""The name of secondhop among the systems of a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question."""

    ids: list[str]
    """Memory ids, best first. For an unanswerable question only those at or above `min_score`;
    ideally []."""
    ms: float = 0.0
    spent: Spent
    degraded: list[str] = field(default_factory=list[str])
    plain: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    """{baseline: memory ids}; {} for an unanswerable question."""
    missed: list[MissedFacet] = field(default_factory=list[MissedFacet])
    """[] if it was not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The cost of one recall; a mean, unless the field says otherwise."""

    ms: float
    """Wall time; with several questions at once, that of a busy machine."""
    ms_median: float
    ms_p95: float
    """95th percentile."""
    llm_calls: float
    tokens: float
    """Prompt and completion tokens of the language model."""
    cost_usd: float | None
    """None if the model's price is unknown."""


def costs_of(answers: Sequence[Answer]) -> Costs:
    """The costs of the recalls that gave these answers."""
    times, spent = [one.ms for one in answers], [one.spent for one in answers]
    prices = [one.cost_usd for one in spent if one.cost_usd is not None]
    return Costs(
        ms=fmean(times),
        ms_median=float(np.median(times)),
        ms_p95=float(np.percentile(times, 95)),
        llm_calls=fmean(one.llm_calls for one in spent),
        tokens=fmean(one.prompt_tokens + one.completion_tokens for one in spent),
        cost_usd=fmean(prices) if len(prices) == len(spent) else None,
    )


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
    def ours(self) -> SystemRun:
        """secondhop's rankings and measures."""
        return self.systems[OURS]

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
            "results": self.ours.results,
            "mean": self.ours.mean(),
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
            document["queries"] = self.ours.questions
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
