"""What an evaluation found: rankings and measures, by scenario and question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from secondhop.evals.measures import Measures, mean_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioReport:
    """One scenario: secondhop beside plain search."""

    name: str
    results: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """{question id: memory ids, best first}."""
    questions: dict[str, Measures] = field(default_factory=dict[str, Measures])
    ms: dict[str, float] = field(default_factory=dict[str, float])
    """{question id: wall time of the recall}."""
    baselines: dict[str, list[Measures]] = field(default_factory=dict[str, list[Measures]])
    """{baseline: measures of each question}."""
    no_answer: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """{id of a question that nothing answers: memories returned all the same}; best when []."""

    def mean(self) -> Measures:
        """Of secondhop, over the questions."""
        return mean_of(self.questions.values())

    def mean_ms(self) -> float:
        """Wall time a question."""
        return sum(self.ms.values()) / max(len(self.ms), 1)

    def means(self) -> dict[str, Measures]:
        """{system: its mean}, secondhop first."""
        plain = {name: mean_of(rows) for name, rows in self.baselines.items()}
        return {"secondhop": self.mean(), **plain}

    def wrongly_answered(self) -> int:
        """Questions that nothing answers and that got a memory; lower is better."""
        return sum(bool(ranked) for ranked in self.no_answer.values())

    def document(self, *, per_question: bool) -> dict[str, Any]:
        """For `--json`."""
        means = self.means()
        document: dict[str, Any] = {
            "results": self.results,
            "mean": means.pop("secondhop"),
            "baselines": {name: {"mean": mean} for name, mean in means.items()},
            "ms": self.ms,
        }
        if self.no_answer:
            document["no_answer"] = {
                "questions": len(self.no_answer),
                "answered": self.wrongly_answered(),
                "results": self.no_answer,
            }
        if per_question:
            document["queries"] = self.questions
        return document


def mean_of_scenarios(reports: Sequence[ScenarioReport]) -> Mapping[str, Measures]:
    """{system: mean of the scenarios' means}: each scenario counts the same, whatever its size."""
    by_system: dict[str, list[Measures]] = {}
    for report in reports:
        for system, mean in report.means().items():
            by_system.setdefault(system, []).append(mean)
    return {system: mean_of(rows) for system, rows in by_system.items()}
