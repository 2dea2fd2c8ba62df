"""The results of sessions with a simulated user, by scenario and question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from secondhop.evals.measures import Measures, mean_of

MEASURE = "alpha_ndcg"
SYSTEM = "session"


QuestionRounds: TypeAlias = Mapping[str, Sequence[Measures]]
"""{system: the measures of each of its answers}, in the order of the rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReport:
    """One scenario."""

    name: str
    votes: int
    """Rounds of votes."""
    questions: dict[str, QuestionRounds] = field(default_factory=dict[str, QuestionRounds])

    def systems(self) -> list[str]:
        """The names of the systems, ours first."""
        return list(next(iter(self.questions.values())))

    def means(self, system: str) -> list[Measures]:
        """The mean measures of each answer, over the questions."""
        return [
            mean_of(question[system][place] for question in self.questions.values())
            for place in range(self.votes + 1)
        ]

    def lowered(self, system: str) -> list[str]:
        """Ids of the questions whose last answer is worse than their first."""
        return [
            one
            for one, question in self.questions.items()
            if question[system][-1][MEASURE] < question[system][0][MEASURE] - 1e-9
        ]


def mean_by_round(reports: Sequence[SessionReport], system: str) -> list[float]:
    """`MEASURE` of each answer, as the mean of the scenarios' means."""
    rows = [[means[MEASURE] for means in report.means(system)] for report in reports]
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def ratio_of(reports: Sequence[SessionReport], system: str) -> float:
    """A system's last answer / our first answer, by `MEASURE`; all systems have the same base."""
    first = mean_by_round(reports, SYSTEM)[0]
    return mean_by_round(reports, system)[-1] / first if first else 0.0


def lowered_share(reports: Sequence[SessionReport], system: str) -> float:
    """Share of all questions whose last answer is worse than their first."""
    lowered = sum(len(report.lowered(system)) for report in reports)
    return lowered / sum(len(report.questions) for report in reports)
