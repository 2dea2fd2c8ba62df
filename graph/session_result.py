"""The results of a session: an answer for each round, and a resolution at the end."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from secondhop.graph.result import Frozen, RecalledMemory, RecalledPreference, Spent
from secondhop.ranking.votes import VOTES, VoteName


class VoteRecord(Frozen):
    """One vote."""

    memory_id: str
    vote: str
    """hot, warm, cold, wrong or spark."""
    by: str
    """person, agent or critic."""
    round: int
    """Round of the answer that was voted on, from 1."""


class AnswerChange(Frozen):
    """A difference from the last round's answer."""

    memory_id: str
    change: Literal["came", "left"]
    branch: str = ""
    """The memory whose branch it came to or left; "" for the answer itself."""
    because: list[VoteRecord] = Field(default_factory=list[VoteRecord])
    """Votes of people and agents that caused it; [] if none did."""
    critic: list[VoteRecord] = Field(default_factory=list[VoteRecord])
    """Votes of the critic that caused it."""
    why: str
    """One sentence."""


class SparkBranch(Frozen):
    """What a sparked memory led to, beside the answer."""

    sparked_by: str
    title: str
    """Title of the memory that sparked it."""
    memories: list[RecalledMemory]
    """Memories voted for come first."""


class SupersessionProposal(Frozen):
    """A memory that was voted wrong, and what seems to have replaced it; nothing is written."""

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
    """Memories voted for (hot, then warm), then at most k others, best first."""
    kept: list[str]
    """Ids of the memories that people or agents voted for."""
    new: list[str]
    """Ids that no earlier answer has shown, including those in branches."""
    branches: list[SparkBranch] = Field(default_factory=list[SparkBranch])
    """Beside the answer, one for each spark."""
    preferences: list[RecalledPreference] = Field(default_factory=list[RecalledPreference])
    """Preferences, as in a recall. They take no votes."""
    changes: list[AnswerChange] = Field(default_factory=list[AnswerChange])
    """Changes since the last round; [] in the first."""
    converged: bool
    """Whether another round would hardly bring anything new; a hint, you may go on voting."""
    why: str
    """Why it has converged, or not."""
    proposals: list[SupersessionProposal] = Field(default_factory=list[SupersessionProposal])
    critic: dict[str, str] = Field(default_factory=dict[str, str])
    """{memory: the critic's vote} for the memories shown. A memory's `vote` is that of a person or
    an agent."""
    cast: dict[str, dict[str, str]] = Field(default_factory=dict[str, dict[str, str]])
    """{voter: {memory: vote}} on this answer, noted but not yet counted."""
    degraded: list[str] = Field(default_factory=list[str])
    """What failed and was done without, one sentence each."""
    spent: Spent
    """The cost of all rounds together; `ms` is that of the last."""
    trace_id: str = ""
    """The trace of this round, for `explain`."""

    def ids(self) -> list[str]:
        """The memory ids, best first, without branches."""
        return [memory.id for memory in self.memories]


class VotesOfRound(Frozen):
    """The votes of one kind of voter on one answer, in the answer's order."""

    round: int
    by: Literal["person", "agent"]
    hot: list[str] = Field(default_factory=list[str])
    warm: list[str] = Field(default_factory=list[str])
    cold: list[str] = Field(default_factory=list[str])
    wrong: list[str] = Field(default_factory=list[str])
    spark: list[str] = Field(default_factory=list[str])


class SparkPair(Frozen):
    """A memory that sparked a branch, and what was accepted from it."""

    spark: str
    accepted: list[str]
    """[]: it led nowhere."""


class ResolvedSession(Frozen):
    """The outcome of a session: everything that learning uses.

    It has no votes of the critic, because they repeat what the ranking knows.
    """

    session_id: str
    entity: str
    question: str
    asked_at: datetime
    rounds: int
    """Number of answers."""
    shown: list[str]
    """Every memory that an answer or a branch has shown, in the order in which they came."""
    retrieved: list[str] = Field(default_factory=list[str])
    """Every candidate of the session, shown or not; those that were shown come first."""
    votes: list[VotesOfRound]
    """By round, then person before agent."""
    accepted: list[str]
    """Memories that helped: those the caller named, else those whose last vote is hot or warm."""
    sparks: list[SparkPair]
    proposals: list[SupersessionProposal] = Field(default_factory=list[SupersessionProposal])
    note: str = ""
    """The caller's own words."""

    def last_votes(self) -> dict[str, VoteName]:
        """{memory: the vote that counts}: the newest round's; a person's before an agent's."""
        said: dict[str, VoteName] = {}
        for round_votes in sorted(self.votes, key=lambda one: (one.round, one.by == "person")):
            for vote in VOTES:
                said |= dict.fromkeys(getattr(round_votes, vote), vote)
        return said
