"""Settings of annotation."""

from dataclasses import dataclass, replace

from secondhop.errors import UsageError
from secondhop.wording import shown

CALL_SECONDS = 120.0
"""Long, because a model writes about a thousand tokens for a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateSettings:
    """How memories are annotated. Raises UsageError for an invalid number."""

    concurrency: int = 4
    """Concurrent requests."""
    call_seconds: float = CALL_SECONDS
    """How long one answer may take, retries included; `RecallLimits.deadline_s` counts instead if
    it is longer."""
    by_itself: bool = True
    """Whether an open `Recall` with a model annotates new memories without being asked."""
    quiet_seconds: float = 15.0
    """How long after the last write it starts."""

    def __post_init__(self) -> None:
        if self.concurrency < 1 or min(self.call_seconds, self.quiet_seconds) <= 0:
            raise UsageError(
                "AnnotateSettings: concurrency must be 1 or more, and seconds more than 0"
            )

    @classmethod
    def given(cls, said: "bool | AnnotateSettings", *, deadline_s: float) -> "AnnotateSettings":
        """The settings that a caller gave, as settings or as a bool for `by_itself`. Raises
        UsageError if they are neither."""
        settings: object = cls(by_itself=said) if isinstance(said, bool) else said
        if not isinstance(settings, cls):
            raise UsageError(f"annotate must be a bool or AnnotateSettings, not {shown(said)}")
        return replace(settings, call_seconds=max(settings.call_seconds, deadline_s))


def request_seconds(deadline_s: float) -> float:
    """How long one request may take, to a model that also annotates."""
    return max(deadline_s, CALL_SECONDS)
