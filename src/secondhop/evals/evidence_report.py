"""What an evidence set's evaluation found: passages and recall, by system, type and budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from secondhop.evals.evidence_set import ItemLine, QuestionLine

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
    newer_first: dict[str, dict[str, bool]] = field(default_factory=dict[str, dict[str, bool]])
    """{system: {id of a question about an update: whether newer evidence stands above older}}."""
    missed: dict[str, Sequence[ItemLine]] = field(default_factory=dict[str, Sequence[ItemLine]])
    """{question id: of each group that secondhop did not find within the largest budget an item}.
    """

    def add(
        self,
        question: QuestionLine,
        passages: list[str],
        *,
        recalls: Mapping[str, Recalls],
        ms: float,
        missed: Sequence[ItemLine] = (),
        newer_first: Mapping[str, bool | None] | None = None,
    ) -> None:
        """Take in what every system reached for one question."""
        self.results[question.id] = passages
        self.categories[question.id] = question.category
        self.ms[question.id] = ms
        self.asked[question.id] = question
        self.missed[question.id] = missed
        for system, recall in recalls.items():
            self.recalls.setdefault(system, {})[question.id] = recall
        for system, is_first in (newer_first or {}).items():
            if is_first is not None:
                self.newer_first.setdefault(system, {})[question.id] = is_first

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

    def newer_shares(self) -> dict[str, float]:
        """{system: share of the updates whose newer evidence stands first}; {} without updates."""
        return {system: sum(own.values()) / len(own) for system, own in self.newer_first.items()}

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
            "newer_first": {
                system: {"share": share, "questions": len(self.newer_first[system])}
                for system, share in self.newer_shares().items()
            },
            "ms": self.ms,
        }
