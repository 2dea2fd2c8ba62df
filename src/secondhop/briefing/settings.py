"""Every number of a briefing that a caller may change, with its default, in one place."""

from dataclasses import dataclass
from math import isfinite

from secondhop.ranking.session_start import OLDEST, POPULARITY


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingSettings:
    """How much a session start shows of what, and what counts in its order."""

    limit: int = 20
    """Entries, where the caller names neither entries nor tokens."""
    active: float = 0.3
    """Share of what core leaves, for things to do and threads that were left open. The three shares
    are the reference audit's."""
    preferences: float = 0.3
    recent: float = 0.4
    foreseen: float = 0.2
    """At most this share of what core leaves goes to what learned cues foresee; the others share
    the rest."""
    recent_candidates: int = 100
    """Newest memories among which the recent ones are chosen."""
    recent_days: float = 7.0
    """Stability of the recent ones: after as many days recency is 0.9."""
    open_days: float = 30.0
    """The same of what was left open: the audit's tier "temporary"."""
    lasting_days: float = 365.0
    """The same of preferences."""
    oldest: float = OLDEST
    """What is left of a score when recency is 0."""
    popularity: float = POPULARITY
    """Share of a score that acceptances can make, 0..1; 0: they count for nothing."""
    session_hours: float = 12.0
    """What was left open at most so long before the last conversation belongs to that session."""
    characters: int = 400
    """Of a note's beginning or a conversation's end, where the whole is longer."""

    def __post_init__(self) -> None:
        for name in ("limit", "recent_candidates", "characters"):
            if getattr(self, name) < 1:
                raise ValueError(f"BriefingSettings.{name} must be at least 1")
        positive = (
            "active",
            "preferences",
            "recent",
            "recent_days",
            "open_days",
            "lasting_days",
            "session_hours",
        )
        for name in positive:
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"BriefingSettings.{name} must be a number above 0")
        for name in ("foreseen", "oldest", "popularity"):
            value = getattr(self, name)
            if not isfinite(value) or not 0 <= value <= 1:
                raise ValueError(f"BriefingSettings.{name} must lie in 0..1")
