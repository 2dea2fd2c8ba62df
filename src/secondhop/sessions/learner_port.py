"""The port that learners plug into: what a resolved session is handed to, and what they say."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class Foresees(Protocol):
    """A learner that can say what it would learn."""

    async def would_learn(self, session: ResolvedSession) -> Learned:
        """What `learn` would give; nothing is written."""
        ...


class OnlyForesees:
    """A learner for dry runs: it says what another would learn, and learns nothing."""

    def __init__(self, learner: Foresees) -> None:
        self._learner = learner

    async def learn(self, session: ResolvedSession) -> Learned:
        """What would be learned."""
        return await self._learner.would_learn(session)


class LearnsNothing:
    """For whoever wants sessions to leave nothing behind."""

    async def learn(self, session: ResolvedSession) -> Learned:
        """Nothing."""
        return Learned()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """A session's end, and what was learned from it, or would be."""

    session: ResolvedSession
    learned: Learned = field(default_factory=Learned)
    dry_run: bool = False
    """The session is open as before: this is what its end would come to."""
