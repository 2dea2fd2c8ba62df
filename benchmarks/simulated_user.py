"""A simulated user, who votes by the labels of a scenario and sometimes by mistake."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from secondhop.evals.measures import group_of
from secondhop.evals.scenario import Question
from secondhop.ranking.votes import VoteName

FOR: frozenset[VoteName] = frozenset({"hot", "warm"})
AGAINST: Mapping[VoteName, VoteName] = {
    "hot": "wrong",
    "warm": "cold",
    "cold": "warm",
    "wrong": "hot",
    "spark": "spark",
}
"""{honest vote: the vote of a malicious user}."""

CARELESS: tuple[VoteName, ...] = ("hot", "warm", "cold", "wrong")
"""Mistaken votes are drawn from these."""


@dataclass(slots=True)
class LabelledUser:
    """Knows the labels of one question, and remembers its votes."""

    question: Question
    noise: float = 0.0
    """Share of votes that are random."""
    seed: int = 0
    against: bool = False
    """Votes the opposite of the labels."""
    votes: dict[str, VoteName] = field(default_factory=dict[str, VoteName])
    """{memory id: vote}, for every memory shown so far."""
    _random: Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = Random(f"{self.seed} {self.question.id}")

    def vote_on(self, shown: Iterable[str]) -> Mapping[str, VoteName]:
        """Votes on all memories that it has not voted on before, in the order shown."""
        cast: dict[str, VoteName] = {}
        for memory_id in shown:
            if memory_id not in self.votes:
                self.votes[memory_id] = cast[memory_id] = self._vote(memory_id)
        return cast

    def kept(self) -> list[str]:
        """The memories that it voted for: hot before warm, then in the order shown."""
        chosen = [memory_id for memory_id, vote in self.votes.items() if vote in FOR]
        return sorted(chosen, key=lambda memory_id: self.votes[memory_id] != "hot")

    def is_content(self) -> bool:
        """Whether the memories that it voted for serve every facet of the question."""
        kept = self.kept()
        return all(
            any(facet.served_by(memory_id) for memory_id in kept) for facet in self.question.facets
        )

    def _vote(self, memory_id: str) -> VoteName:
        honest = self._honest_vote(memory_id)
        if self.against:
            honest = AGAINST[honest]
        return self._random.choice(CARELESS) if self._random.random() < self.noise else honest

    def _honest_vote(self, memory_id: str) -> VoteName:
        """Stale memories are wrong. A memory that repeats an accepted one is cold. An essential one
        is hot, a useful or marginal one warm, any other cold."""
        grade = max(facet.relevant.get(memory_id, 0) for facet in self.question.facets)
        groups = group_of(self.question)
        if memory_id in self.question.stale:
            return "wrong"
        if memory_id in groups and groups[memory_id] in self._said(groups):
            return "cold"
        if grade == 3:
            return "hot"
        return "warm" if grade else "cold"

    def _said(self, groups: Mapping[str, int]) -> set[int]:
        """The redundancy groups from which it has accepted a memory."""
        return {groups[one] for one, vote in self.votes.items() if vote in FOR and one in groups}
