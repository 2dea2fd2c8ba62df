"""The effect of learning from sessions on recall, by scenario and question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from secondhop.evals.measures import Measures, mean_of

MEASURE = "alpha_ndcg"

When = Literal["before", "after", "others"]
"""before: nothing was learned. after: sessions with other wordings of the question were resolved.
others: only sessions of the other half of the questions were resolved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, recalled at one of the three times of `When`."""

    ids: Sequence[str]
    measures: Measures


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLearned:
    """One question."""

    recalls: Mapping[When, Asked]
    rounds: Mapping[Literal["before", "after"], int]
    """Answers until the user was content, in the question's own words; {} if not counted."""

    def is_same(self) -> bool:
        """Whether the other half's sessions left its answer unchanged, order included."""
        return self.recalls["before"].ids == self.recalls["others"].ids


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningRun:
    """One scenario with one kind of user."""

    name: str
    user: str
    """labels, random or against."""
    sessions: int
    """Resolved sessions per question, each in other words."""
    noise: float
    questions: dict[str, QuestionLearned] = field(default_factory=dict[str, QuestionLearned])

    def mean(self, when: When) -> Measures:
        """The mean measures over the questions."""
        return mean_of(question.recalls[when].measures for question in self.questions.values())

    def rounds(self, when: Literal["before", "after"]) -> float | None:
        """Mean number of answers until the user was content; None if not counted."""
        told = [q.rounds[when] for q in self.questions.values() if when in q.rounds]
        return sum(told) / len(told) if told else None

    def same(self) -> float:
        """Share of questions whose answer the other half's sessions left unchanged."""
        return sum(q.is_same() for q in self.questions.values()) / len(self.questions)

    def lowered(self) -> list[str]:
        """Ids of questions whose answer is worse after learning from their own sessions."""
        return [
            one
            for one, question in self.questions.items()
            if question.recalls["after"].measures[MEASURE]
            < question.recalls["before"].measures[MEASURE] - 1e-9
        ]
