"""The results of a session: an answer for each round, and a resolution at the end."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from secondhop.graph.result import Frozen, RecalledMemory, RecalledPreference, Spent
from secondhop.nodes.state import VOTES


class VoteRecord(Frozen):
    """One vote."""

    memory_id: str
    vote: str
    """hot, warm, cold, wrong or spark."""
    by: str
    """person, agent or critic."""
    round: int
    """Of the answer that was voted on, from 1."""


class AnswerChange(Frozen):
    """A difference from the last round's answer."""

    memory_id: str
    change: Literal["came", "left"]
    branch: str = ""
    """The memory whose branch it came to or left; "" for the answer itself."""
    because: list[VoteRecord] = Field(default_factory=list[VoteRecord])
    """Votes of people and agents that did it; [] when none did."""
    critic: list[VoteRecord] = Field(default_factory=list[VoteRecord])
    """Votes of the critic that did it."""
    why: str
    """One sentence."""


class SparkBranch(Frozen):
    """What a memory led to that was not the answer."""

    sparked_by: str
    title: str
    """Of the memory that sparked it."""
    memories: list[RecalledMemory]
    """Those that were voted for first."""


class SupersessionProposal(Frozen):
    """A memory that was voted wrong, and what seems to have taken its place; nothing is written."""

    memory_id: str
    replaced_by: str | None
    why: str


class SessionAnswer(Frozen):
    """The answer of one round."""

    session_id: str
    entity: str
    question: str
    asked_at: datetime
    round: int
    """From 1."""
    rounds_left: int
    """Rounds that votes can still open; 0: the votes on this answer count when it is resolved."""
    expires_at: datetime
    """When it expires without another vote."""
    memories: list[RecalledMemory]
    """What was voted for (hot, then warm), then at most k others, best first."""
    kept: list[str]
    """Ids of those that are there because people or agents voted for them."""
    new: list[str]
    """Ids that no answer before has shown, those of branches included."""
    branches: list[SparkBranch] = Field(default_factory=list[SparkBranch])
    """Apart from the answer: one a spark."""
    preferences: list[RecalledPreference] = Field(default_factory=list[RecalledPreference])
    """How to behave: as a recall gives them, beside the memories. They take no votes."""
    changes: list[AnswerChange] = Field(default_factory=list[AnswerChange])
    """Since the last round; [] in the first."""
    converged: bool
    """Whether another round would hardly bring anything: a hint, voting on is allowed."""
    why: str
    """Why it has converged, or not."""
    proposals: list[SupersessionProposal] = Field(default_factory=list[SupersessionProposal])
    critic: dict[str, str] = Field(default_factory=dict[str, str])
    """{memory: the critic's vote} of what the answer shows. `vote` of a memory is what a person or
    an agent said of it."""
    cast: dict[str, dict[str, str]] = Field(default_factory=dict[str, dict[str, str]])
    """{voter: {memory: vote}} on this answer, cast and not yet counted."""
    degraded: list[str] = Field(default_factory=list[str])
    """What did not work and was done without, one sentence each."""
    spent: Spent
    """What all rounds have cost together; `ms` is that of the last."""
    trace_id: str = ""
    """Of the round: why each memory is there, or is not."""

    def ids(self) -> list[str]:
        """The memory ids, best first, without branches."""
        return [memory.id for memory in self.memories]


class VotesOfRound(Frozen):
    """What one kind of voter said of one answer; ids in the answer's order."""

    round: int
    by: Literal["person", "agent"]
    hot: list[str] = Field(default_factory=list[str])
    warm: list[str] = Field(default_factory=list[str])
    cold: list[str] = Field(default_factory=list[str])
    wrong: list[str] = Field(default_factory=list[str])
    spark: list[str] = Field(default_factory=list[str])


class SparkPair(Frozen):
    """A memory that sparked a branch, and what was accepted out of it."""

    spark: str
    accepted: list[str]
    """[]: it led nowhere."""


class ResolvedSession(Frozen):
    """What a session has come to: all that learning gets to see of it.

    Votes of the critic are not in it: they repeat what the ranking knows.
    """

    session_id: str
    entity: str
    question: str
    asked_at: datetime
    rounds: int
    """Answers that were needed."""
    shown: list[str]
    """Every memory that an answer or a branch has shown, in the order in which they came."""
    retrieved: list[str] = Field(default_factory=list[str])
    """Every memory that was in the pool of a round, shown or not; those that were shown first."""
    votes: list[VotesOfRound]
    """By round, then person before agent."""
    accepted: list[str]
    """Memories that helped: as the caller said, else those whose last vote is hot or warm."""
    sparks: list[SparkPair]
    proposals: list[SupersessionProposal] = Field(default_factory=list[SupersessionProposal])
    note: str = ""
    """The caller's own words."""

    def last_votes(self) -> dict[str, str]:
        """{memory: the vote that counts}: the newest round's; a person's before an agent's."""
        said: dict[str, str] = {}
        for round_votes in sorted(self.votes, key=lambda one: (one.round, one.by == "person")):
            for vote in VOTES:
                said |= dict.fromkeys(getattr(round_votes, vote), vote)
        return said
