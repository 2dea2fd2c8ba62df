"""The port that learners plug into: what a resolved session is handed to, and what they say."""

from dataclasses import dataclass, field
from typing import Protocol

from secondhop.graph.session_result import ResolvedSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a session has taught."""

    updated: int = 0
    """Memories whose weight in this context has changed."""
    learned: bool = False
    """Whether a new pattern was stored."""


class SessionLearner(Protocol):
    """Learns from resolved sessions. Called at most once a session, by whoever resolved it."""

    async def learn(self, session: ResolvedSession) -> Learned:
        """Take it in; an error of ours is logged, and the session stays resolved."""
        ...


class LearnsNothing:
    """For whoever wants sessions to leave nothing behind."""

    async def learn(self, session: ResolvedSession) -> Learned:
        """Nothing."""
        return Learned()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """A session's end, and what was learned from it."""

    session: ResolvedSession
    learned: Learned = field(default_factory=Learned)
