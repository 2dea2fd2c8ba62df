"""What an evidence set's evaluation found: passages and recall, by system, type and budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from secondhop.evals.comparison import Rows
from secondhop.evals.evidence_score import EvidenceScorer
from secondhop.evals.evidence_set import QuestionLine
from secondhop.evals.judgements import Rankings

Recalls: TypeAlias = Mapping[int, float]
"""{budget in tokens: recall, 0..1}."""

OURS = "secondhop"
"""Among the systems of a report."""

ALL = "all"
"""The type of every question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReport:
    """One set: secondhop beside plain search."""

    name: str
    budgets: Sequence[int]
    results: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """{question id: passage texts, best first}."""
    asked: dict[str, QuestionLine] = field(default_factory=dict[str, QuestionLine])
    categories: dict[str, str] = field(default_factory=dict[str, str])
    """{question id: type}."""
    recalls: dict[str, dict[str, Recalls]] = field(default_factory=dict[str, dict[str, Recalls]])
    """{system: {question id: recall by budget}}, secondhop first."""
    ms: dict[str, float] = field(default_factory=dict[str, float])
    """{question id: wall time of the recall}."""

    def add(
        self,
        question: QuestionLine,
        passages: list[str],
        *,
        recalls: Mapping[str, Recalls],
        ms: float,
    ) -> None:
        """Take in what every system reached for one question."""
        self.results[question.id] = passages
        self.categories[question.id] = question.category
        self.ms[question.id] = ms
        self.asked[question.id] = question
        for system, recall in recalls.items():
            self.recalls.setdefault(system, {})[question.id] = recall

    def types(self) -> dict[str, list[str]]:
        """{type: its question ids}, all questions first, then by name."""
        by_type: dict[str, list[str]] = {ALL: list(self.categories)}
        for name in sorted(set(self.categories.values())):
            by_type[name] = [q for q, category in self.categories.items() if category == name]
        return by_type

    def mean(self, system: str, question_ids: Sequence[str]) -> dict[int, float]:
        """Mean recall by budget over some questions."""
        own = self.recalls[system]
        return {
            budget: sum(own[q][budget] for q in question_ids) / max(len(question_ids), 1)
            for budget in self.budgets
        }

    def means(self) -> dict[str, dict[int, float]]:
        """{system: mean recall over all questions}, secondhop first."""
        return {system: self.mean(system, list(self.categories)) for system in self.recalls}

    def rows(self, system: str = OURS) -> Rows:
        """{question id: {"recall@500": …}} of a system, for a comparison."""
        return {one: by_measure(recalls) for one, recalls in self.recalls[system].items()}

    def rows_of_results(self, results: Rankings, *, scorer: EvidenceScorer) -> Rows:
        """The same of an earlier report's passages; questions that it lacks are left out."""
        return {
            one: by_measure(scorer.recalls(question, results[one], budgets=self.budgets))
            for one, question in self.asked.items()
            if one in results
        }

    def mean_ms(self) -> float:
        """Wall time a question."""
        return sum(self.ms.values()) / max(len(self.ms), 1)

    def document(self) -> dict[str, Any]:
        """For `--json`; the keys of budgets are texts there."""
        by_system = {
            system: {
                name: {str(budget): mean for budget, mean in self.mean(system, ids).items()}
                | {"questions": len(ids)}
                for name, ids in self.types().items()
            }
            for system in self.recalls
        }
        own = by_system.pop(OURS)
        return {
            "results": self.results,
            "recall": own,
            "baselines": {system: {"recall": recall} for system, recall in by_system.items()},
            "ms": self.ms,
        }


def by_measure(recalls: Recalls) -> dict[str, float]:
    """{"recall@500": …} of {500: …}."""
    return {f"recall@{budget}": recall for budget, recall in recalls.items()}
