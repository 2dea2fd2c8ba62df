"""A session's end, and what it has taught."""

from dataclasses import dataclass, field

from secondhop.graph.session_result import ResolvedSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a session has taught."""

    updated: int = 0
    """Memories whose weight for such questions has changed."""
    learned: bool = False
    """Whether the question was kept with any memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """A session's end, and what was learned from it, or would be."""

    session: ResolvedSession
    learned: Learned = field(default_factory=Learned)
    dry_run: bool = False
    """The session is still open: this is what its end would give."""
