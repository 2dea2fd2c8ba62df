"""The effect of learning from sessions on recall, by scenario and question."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from secondhop.evals.measures import Measures, mean_of

MEASURE = "alpha_ndcg"

When = Literal["before", "after", "others"]
"""before: nothing was learned. after: sessions with other wordings of the question were resolved.
others: only sessions of the other half of the questions were resolved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningRun:
    """One scenario with one kind of user."""

    name: str
    user: str
    """labels, random or against."""
    noise: float
    questions: Mapping[str, Mapping[When, Measures]]
    """{question id: its measures at the three times of `When`}."""

    def mean(self, when: When) -> Measures:
        """The mean measures over the questions."""
        return mean_of(question[when] for question in self.questions.values())

    def lowered(self) -> list[str]:
        """Ids of questions whose answer is worse after learning from their own sessions."""
        return [
            one
            for one, question in self.questions.items()
            if question["after"][MEASURE] < question["before"][MEASURE] - 1e-9
        ]
