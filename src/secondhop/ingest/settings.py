"""Settings of an ingest."""

from dataclasses import dataclass

from secondhop.errors import UsageError
from secondhop.ingest.detect import check_format
from secondhop.models.tokens import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSettings:
    """How an ingest works. Raises UsageError for an unknown format or an invalid number."""

    format: str | None = None
    """One of the known formats, or None to detect it for each file."""
    tags: tuple[str, ...] = ()
    """Added to the tags of every memory that is read."""
    batch_passages: int = 96
    """Passages embedded at once. A larger memory is embedded in several batches, but stored as one.
    """
    count_tokens: TokenCounter | None = None
    """None: tiktoken's cl100k_base."""

    def __post_init__(self) -> None:
        check_format(self.format)
        if self.batch_passages < 1:
            raise UsageError("IngestSettings.batch_passages must be 1 or more")
