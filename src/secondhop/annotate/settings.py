"""Settings of annotation."""

from dataclasses import dataclass, replace

from secondhop.errors import UsageError

CALL_SECONDS = 120.0
"""A model writes a thousand tokens for a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateSettings:
    """How memories are annotated. Raises UsageError for a number that cannot be."""

    concurrency: int = 4
    """Requests at once."""
    call_seconds: float = CALL_SECONDS
    """How long the answer to one request may take, retries included; a longer deadline of recalls
    goes before it."""
    by_itself: bool = True
    """An open `Recall` with a model annotates what is written to it, without being asked."""
    quiet_seconds: float = 15.0
    """How long nothing must have been written before it does."""

    def __post_init__(self) -> None:
        if self.concurrency < 1 or min(self.call_seconds, self.quiet_seconds) <= 0:
            raise UsageError(
                "AnnotateSettings: concurrency must be 1 or more, and seconds more than 0"
            )

    @classmethod
    def given(cls, said: "bool | AnnotateSettings", *, deadline_s: float) -> "AnnotateSettings":
        """What a caller said: settings, or whether an open `Recall` annotates by itself."""
        settings = cls(by_itself=said) if isinstance(said, bool) else said
        return replace(settings, call_seconds=max(settings.call_seconds, deadline_s))


def request_seconds(deadline_s: float) -> float:
    """How long one request to a model may take that also annotates."""
    return max(deadline_s, CALL_SECONDS)
