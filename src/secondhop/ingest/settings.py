"""Settings of an ingest."""

from dataclasses import dataclass

from secondhop.errors import UsageError
from secondhop.ingest.detect import check_format
from secondhop.models.tokens import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSettings:
    """How an ingest works. Raises UsageError for a format or a number that cannot be."""

    format: str | None = None
    """One of the known formats, or None to detect each file's."""
    tags: tuple[str, ...] = ()
    """Added to the tags of everything that is read."""
    batch_passages: int = 96
    """Passages embedded at once; a larger memory is embedded in several steps, but put as one."""
    count_tokens: TokenCounter | None = None
    """None: tiktoken's cl100k_base."""

    def __post_init__(self) -> None:
        check_format(self.format)
        if self.batch_passages < 1:
            raise UsageError("IngestSettings.batch_passages must be 1 or more")
