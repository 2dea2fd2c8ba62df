"""The results on an evidence set: passages, and recall by system, question type and budget."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from benchmarks.contest_table import row, ruler
from benchmarks.evidence_set import QuestionLine

Recalls: TypeAlias = Mapping[int, float]
"""{budget in tokens: recall, 0..1}."""

OURS = "secondhop"
"""The name of secondhop among the systems of a report."""

ALL = "all"
"""A type that every question has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReport:
    """One set, answered by secondhop and by plain search."""

    name: str
    budgets: Sequence[int]
    results: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """{question id: passage texts, best first}."""
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
        """Add the results of all systems on one question."""
        self.results[question.id] = passages
        self.categories[question.id] = question.category
        self.ms[question.id] = ms
        for system, recall in recalls.items():
            self.recalls.setdefault(system, {})[question.id] = recall

    def types(self) -> dict[str, list[str]]:
        """{type: its question ids}; "all" first, the others by name."""
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

    def lines(self) -> Iterator[str]:
        """A Markdown table: a row per system, then a row per question type, for secondhop."""
        yield ""
        yield row(f"{self.name}, {len(self.results)} questions", *map(str, self.budgets))
        yield ruler(len(self.budgets))
        rows = self.means()
        for name, ids in self.types().items():
            if name != ALL:
                rows[f"{OURS}, {name} ({len(ids)})"] = self.mean(OURS, ids)
        for name, recalls in rows.items():
            yield row(name, *(f"{recalls[budget]:.3f}" for budget in self.budgets))

    def document(self) -> dict[str, Any]:
        """For `--json`; budgets as keys are texts."""
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
