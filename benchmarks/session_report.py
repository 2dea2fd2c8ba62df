"""The results of sessions with a simulated user, by scenario and question."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from secondhop.evals.measures import Measures, mean_of

MEASURE = "alpha_ndcg"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReport:
    """One scenario."""

    name: str
    votes: int
    """Rounds of votes."""
    questions: dict[str, Sequence[Measures]] = field(default_factory=dict[str, Sequence[Measures]])
    """{question id: the measures of each answer}, in the order of the rounds."""

    def means(self) -> list[Measures]:
        """The mean measures of each answer, over the questions."""
        return [
            mean_of(rounds[place] for rounds in self.questions.values())
            for place in range(self.votes + 1)
        ]

    def lowered(self) -> list[str]:
        """Ids of the questions whose last answer is worse than their first."""
        return [
            one
            for one, rounds in self.questions.items()
            if rounds[-1][MEASURE] < rounds[0][MEASURE] - 1e-9
        ]


def mean_by_round(reports: Sequence[SessionReport]) -> list[float]:
    """`MEASURE` of each answer, as the mean of the scenarios' means."""
    rows = [[means[MEASURE] for means in report.means()] for report in reports]
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def ratio_of(reports: Sequence[SessionReport]) -> float:
    """The last answer / the first answer, by `MEASURE`."""
    rounds = mean_by_round(reports)
    return rounds[-1] / rounds[0] if rounds[0] else 0.0


def lowered_share(reports: Sequence[SessionReport]) -> float:
    """Share of all questions whose last answer is worse than their first."""
    lowered = sum(len(report.lowered()) for report in reports)
    return lowered / sum(len(report.questions) for report in reports)
