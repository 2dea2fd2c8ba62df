"""What learning from sessions has made of recall, by scenario and question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from secondhop.evals.measures import Measures, mean_of

MEASURE = "alpha_ndcg"

When = Literal["before", "after", "others"]
"""Nothing was learned; the question's own context has learned, from other wordings of it; only
the other half of the questions has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, recalled at one of the three times."""

    ids: Sequence[str]
    measures: Measures


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLearned:
    """One question."""

    recalls: Mapping[When, Asked]
    rounds: Mapping[Literal["before", "after"], int]
    """Answers until the user was content, in the question's own words; {} when not asked."""

    def is_same(self) -> bool:
        """Whether what others taught has left its answer as it was, in the same order."""
        return self.recalls["before"].ids == self.recalls["others"].ids


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningRun:
    """One scenario with one kind of user."""

    name: str
    user: str
    """labels, random or against."""
    sessions: int
    """Resolved sessions a question, each in other words."""
    noise: float
    questions: dict[str, QuestionLearned] = field(default_factory=dict[str, QuestionLearned])

    def mean(self, when: When) -> Measures:
        """Over the questions."""
        return mean_of(question.recalls[when].measures for question in self.questions.values())

    def rounds(self, when: Literal["before", "after"]) -> float | None:
        """Answers until the user was content, on average; None: not asked."""
        told = [q.rounds[when] for q in self.questions.values() if when in q.rounds]
        return sum(told) / len(told) if told else None

    def same(self) -> float:
        """Share of questions whose answer others' lessons left as it was."""
        return sum(q.is_same() for q in self.questions.values()) / len(self.questions)

    def lowered(self) -> list[str]:
        """Ids of questions that are worse after learning in their own context."""
        return [
            one
            for one, question in self.questions.items()
            if question.recalls["after"].measures[MEASURE]
            < question.recalls["before"].measures[MEASURE] - 1e-9
        ]
