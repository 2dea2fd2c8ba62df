"""The interface of learners, which get resolved sessions."""

from dataclasses import dataclass, field
from typing import Protocol

from secondhop.graph.session_result import ResolvedSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a session has taught."""

    updated: int = 0
    """Memories whose weight for such questions has changed."""
    learned: bool = False
    """Whether the question was kept with any memory."""


class SessionLearner(Protocol):
    """Learns from resolved sessions."""

    async def alearn(self, session: ResolvedSession, *, dry_run: bool = False) -> Learned:
        """Learn from a session. Called at most once for each, by the worker that resolved it.

        A `SecondhopError` is logged, and the session stays resolved.

        Args:
            dry_run: only report what would be learned.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """A session's end, and what was learned from it, or would be."""

    session: ResolvedSession
    learned: Learned = field(default_factory=Learned)
    dry_run: bool = False
    """The session is still open: this is what its end would give."""
